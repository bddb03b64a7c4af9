package dev.cdioutbox.internal.store;

/** Who dispatches, for people to read, and for a process to know those before it. */
public record NodeIdentity(String id, String host, String server, long process, String version) {}
