package dev.cdioutbox.internal.operate.console;

/**
 * Why this node could not deliver to a destination when it last tried.
 *
 * @param at milliseconds since 1970
 */
record LastFailure(long at, String reason) {}
