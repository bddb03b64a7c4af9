package dev.cdioutbox.internal.store.node;

/**
 * The row that this process writes, for operators and for the processes that start after it. A
 * {@link NodeStore.Row} is the row of any node, as it is read.
 *
 * @param module the name of the deployed module, without a version
 */
public record ThisNode(String id, String module, String host, String server, long process, String version) {}
