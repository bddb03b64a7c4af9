/**
 * Writes captured messages, and a row in the queue for each, in the transaction of the application. Enter at {@code MessageInsert},
 * which others call for copies: dead letters, backfills and what operators send again. {@code AcceptedMessages} calls it for messages
 * that came from a broker.
 */
package dev.cdioutbox.internal.store.capture;
