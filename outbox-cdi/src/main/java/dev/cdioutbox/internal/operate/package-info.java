/**
 * What operators do: {@code OutboxOperations}, its roles and its audit. Enter at {@code OperationExecutor}; {@code
 * BatchedOperations} works through many messages in portions. Applications call it through the API, the console
 * directly.
 */
package dev.cdioutbox.internal.operate;
