package dev.cdioutbox.internal.store;

/**
 * Identifies a dispatching process, for operators and for the processes that start after it.
 *
 * @param module the name of the deployed module, without a version
 */
public record NodeIdentity(String id, String module, String host, String server, long process, String version) {}
