package dev.cdioutbox.internal.dispatch;

/** The result of one claim and its batch. */
enum BatchResult {
    /** No free partition has messages. */
    NO_WORK,
    /** The claimed partitions have messages, but none that can be sent now. */
    ALL_WAITING,
    /** No message can be sent now, but the claim moved some messages; the next claim may find sendable ones. */
    MAINTAINED,
    DELIVERED
}
