package dev.cdioutbox.internal.store;

/** Who dispatches, for people to read. */
public record NodeIdentity(String id, String host, String server, long process, String version) {}
