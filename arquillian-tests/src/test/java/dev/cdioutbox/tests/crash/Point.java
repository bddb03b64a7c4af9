package dev.cdioutbox.tests.crash;

import java.util.Arrays;
import java.util.List;

/**
 * A place in the life of a node at which the controller can stop it. {@link Points} maps calls at the edges to points.
 */
enum Point {
    SCHEMA_CREATION(Where.START),
    BEFORE_INSERT(Where.ALWAYS),
    AFTER_INSERT(Where.ALWAYS),
    BUSINESS_COMMITTED(Where.ALWAYS),
    BEFORE_CLAIM(Where.ALWAYS),
    AFTER_CLAIM(Where.ALWAYS),
    MESSAGES_READ(Where.ALWAYS),
    MID_SEND(Where.ALWAYS),
    AFTER_LAST_SEND(Where.ALWAYS),
    BEFORE_ACCEPT(Where.INBOX),
    AFTER_ACCEPT(Where.INBOX),
    BEFORE_SETTLE(Where.ALWAYS),
    DURING_SETTLE(Where.ALWAYS),
    DURING_RETRY(Where.ALWAYS),
    BETWEEN_PREPARES(Where.TWO_PHASES),
    BOTH_PREPARED(Where.TWO_PHASES),
    COMMIT_LOGGED(Where.TWO_PHASES),
    BETWEEN_COMMITS(Where.BROKER),
    BOTH_COMMITTED(Where.TWO_PHASES),
    LEASE_RENEWAL(Where.LEASE),
    /** Earlier producers are shut out, and the database does not know it yet. */
    TAKEN_OVER(Where.MARKER),
    PROMOTION(Where.ALWAYS),
    PURGE_FOUND(Where.ALWAYS),
    PURGE(Where.ALWAYS),
    REPLAY(Where.ALWAYS),
    DISCARD(Where.ALWAYS);

    private final Where where;

    Point(Where where) {
        this.where = where;
    }

    /** The points that a running node can reach in a mode. */
    static List<Point> of(Mode mode) {
        return Arrays.stream(values()).filter(point -> point.isIn(mode)).toList();
    }

    private boolean isIn(Mode mode) {
        return switch (where) {
            case START -> false;
            case ALWAYS -> true;
            case TWO_PHASES -> mode == Mode.EXACTLY_ONCE || mode == Mode.INBOX;
            case INBOX -> mode == Mode.INBOX;
            case BROKER -> mode != Mode.HANDLER;
            case LEASE -> mode == Mode.LEASE;
            case MARKER -> mode == Mode.MARKER;
        };
    }

    private enum Where {
        START,
        ALWAYS,
        TWO_PHASES,
        BROKER,
        LEASE,
        MARKER,
        INBOX
    }
}
