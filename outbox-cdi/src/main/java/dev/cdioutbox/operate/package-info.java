/**
 * Reads and operates the stored messages: inject {@link dev.cdioutbox.operate.OutboxOperations}, and choose the messages
 * with an {@link dev.cdioutbox.operate.OutboxFilter}.
 */
package dev.cdioutbox.operate;
