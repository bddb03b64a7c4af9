/**
 * What operators read and change: lists, retry, replay, discard, pause. Enter at {@code OperatorStore} for changes
 * and at {@code MessageFinder} for reads. {@code store.jdbc} and {@code operate} call this package, and the
 * backlog asks it which destinations are paused.
 */
package dev.cdioutbox.internal.store.admin;
