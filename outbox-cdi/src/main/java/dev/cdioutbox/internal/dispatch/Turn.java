package dev.cdioutbox.internal.dispatch;

/** What came of one claim. */
enum Turn {
    /** No partition that is free has anything. */
    NOTHING,
    /** There is something, but all of it waits. */
    ALL_WAIT,
    /** All of it waits, but that took some work, and what is behind it was not seen yet. */
    TENDED,
    DELIVERED
}
