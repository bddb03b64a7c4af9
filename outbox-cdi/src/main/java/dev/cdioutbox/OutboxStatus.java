package dev.cdioutbox;

/**
 * Where a message stands.
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
    /** Stored by its transaction; not sent yet. */
    PENDING,
    /** An attempt was charged to the message; another one is scheduled. */
    FAILED,
    /** Sent: the broker's commit is done. Settled, unless an operator replays it. */
    PUBLISHED,
    /** Out of attempts, or refused for good. Waits for an operator. */
    ABANDONED,
    /** Its time to live was over before it could be sent. Settled, unless an operator replays it. */
    EXPIRED,
    /** An operator decided that it is not sent. Settled, unless an operator replays it. */
    DISCARDED
}
