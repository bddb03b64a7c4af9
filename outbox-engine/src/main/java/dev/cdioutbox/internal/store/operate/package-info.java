/**
 * What operators read and change: lists, the backlog, retry, replay, discard, pause, backfills. Enter at {@code OperatorStore} for
 * changes and at {@code MessageFinder} for messages; dispatch, too, reads the backlog, continues backfills, and asks {@code
 * CrashHistory} after a crash.
 */
package dev.cdioutbox.internal.store.operate;
