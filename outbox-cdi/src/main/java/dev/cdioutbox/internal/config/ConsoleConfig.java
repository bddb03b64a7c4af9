package dev.cdioutbox.internal.config;

/**
 * The page for operators.
 *
 * @param path where it is, below the context root; begins with a slash and does not end with one
 */
public record ConsoleConfig(boolean enabled, String path) {}
