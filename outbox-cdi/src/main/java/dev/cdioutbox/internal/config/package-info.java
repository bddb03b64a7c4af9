/**
 * The configuration: {@code ConfigReader} reads each key with its default and its limits into one immutable snapshot
 * ({@code OutboxConfig}, with the small groups of keys nested in it), and finds wrong and unknown keys; {@code
 * CurrentConfig} keeps the current snapshot, reads it again while the application runs, and reports keys that need a
 * restart; {@code ConfigKeys} are the keys of one outbox among several. Enter at {@code ConfigReader} for a key. All
 * packages read snapshots.
 */
package dev.cdioutbox.internal.config;
