/**
 * The operators' side: {@code OutboxOperations}, its audit and its doctor. Enter at {@code TransactionalOperations}.
 * Applications call the API; the console calls {@code TransactionalOperations}, which changes many messages in batches.
 */
package dev.cdioutbox.internal.operate;
