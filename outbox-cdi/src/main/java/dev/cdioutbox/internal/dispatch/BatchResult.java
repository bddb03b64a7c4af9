package dev.cdioutbox.internal.dispatch;

/** The result of one claim and its batch. */
enum BatchResult {
    /** No free partition has messages. */
    NO_WORK,
    /** The claimed partitions have messages, but none that can be sent now. */
    ALL_WAITING,
    /** None can be sent now, but messages were moved; the next claim may find some. */
    MAINTAINED,
    DELIVERED
}
