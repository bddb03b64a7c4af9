/**
 * The configuration. {@code ConfigKey} has a constant for each key: enter there. {@code ConfigReader} reads them into one
 * immutable snapshot ({@code OutboxConfig}, with the small groups of keys nested in it), and finds wrong and unknown keys;
 * {@code OutboxProperties} are the properties of one outbox among several; {@code CurrentConfig} keeps the current
 * snapshot, reads it again while the application runs, and reports keys that need a restart. All packages read
 * snapshots.
 */
package dev.cdioutbox.internal.config;
