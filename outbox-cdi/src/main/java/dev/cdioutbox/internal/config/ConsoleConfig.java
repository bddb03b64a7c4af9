package dev.cdioutbox.internal.config;

/**
 * The console for operators.
 *
 * @param path the path below the context root; begins with a slash and does not end with one
 */
public record ConsoleConfig(boolean enabled, String path) {}
