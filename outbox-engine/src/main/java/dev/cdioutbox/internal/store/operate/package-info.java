/**
 * What operators read and change: lists, the backlog, retry, replay, discard, pause, backfills. Enter at {@code OperatorStore} for
 * changes and at {@code MessageFinder} for messages; dispatch, too, reads the backlog and continues backfills.
 */
package dev.cdioutbox.internal.store.operate;
