package dev.cdioutbox.internal.dispatch;

/** What came of one claim. */
enum BatchResult {
    /** No partition that is free has anything. */
    NO_WORK,
    /** There is something, but all of it waits. */
    ALL_WAITING,
    /** All of it waits, but that took some work, and what is behind it was not seen yet. */
    MAINTAINED,
    DELIVERED
}
