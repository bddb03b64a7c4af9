/**
 * The operators' side: {@code OutboxOperations} and its audit. Enter at {@code TransactionalOperations};
 * {@code OperationExecutor} finds and changes the messages, and {@code BatchedOperations} changes many of them in
 * batches. Applications call the API; the console calls this package directly.
 */
package dev.cdioutbox.internal.operate;
