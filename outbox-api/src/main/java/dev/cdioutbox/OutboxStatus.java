package dev.cdioutbox;

/**
 * The status of a message.
 *
 * <pre>
 *              ┌──────────────► PUBLISHED
 *  PENDING ────┼─► FAILED ─┬──► PUBLISHED
 *              │     ▲     │
 *              │     └─────┤
 *              └───────────┴──► ABANDONED or EXPIRED
 *
 *  operators:
 *  PENDING, FAILED, ABANDONED ────── discard ──► DISCARDED
 *  FAILED, ABANDONED ─────────────── retry ────► PENDING
 *  PUBLISHED, EXPIRED, DISCARDED ─── replay ───► PENDING
 * </pre>
 */
public enum OutboxStatus {
    /** The transaction stored the message; the outbox has not sent it yet. */
    PENDING,
    /** The outbox charged an attempt to the message, and has scheduled a retry. */
    FAILED,
    /** The broker has committed the message. Final, unless an operator replays it. */
    PUBLISHED,
    /** The message is out of attempts, or can never be sent, and waits for an operator. */
    ABANDONED,
    /** The time to live ended before the send. Final, unless an operator replays the message. */
    EXPIRED,
    /** An operator discarded the message. Final, unless an operator replays it. */
    DISCARDED
}
