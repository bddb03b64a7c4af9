package dev.cdioutbox.internal.store;

/** Identifies a dispatching process, for operators and for the processes that start after it. */
public record NodeIdentity(String id, String host, String server, long process, String version) {}
