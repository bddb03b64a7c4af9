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
 * </pre>
 *
 * <p>Beside these the dispatcher's moves, an operator may discard what is not published, and send again what is settled.
 */
public enum OutboxStatus {
    /** Stored by its transaction; not sent yet. */
    PENDING,
    /** An attempt was charged to the message, or its destination had no room for it; another one is scheduled. */
    FAILED,
    /** Sent: the broker's commit is done. Final. */
    PUBLISHED,
    /** Out of attempts, or refused for good. Waits for an operator. */
    ABANDONED,
    /** Its time to live was over before it could be sent. Final. */
    EXPIRED,
    /** An operator decided that it is not sent. Final, unless an operator sends it again. */
    DISCARDED;

    /**
     * Tells whether the dispatcher may make this move.
     *
     * @param next the status to come; not null
     * @return true if {@code next} may follow this status
     */
    public boolean canBecome(OutboxStatus next) {
        return switch (this) {
            case PENDING, FAILED -> next != PENDING && next != DISCARDED;
            case PUBLISHED, ABANDONED, EXPIRED, DISCARDED -> false;
        };
    }

    /**
     * Tells whether the dispatcher still has to send the message.
     *
     * @return true for {@link #PENDING} and {@link #FAILED}
     */
    public boolean isDue() {
        return this == PENDING || this == FAILED;
    }
}
