package dev.cdioutbox.jms.internal.dispatch;

import java.io.Serializable;

/**
 * The purpose of a timer.
 *
 * @param destination the worker's destination, or null
 */
record TimerCall(Kind kind, String destination) implements Serializable {

    enum Kind {
        HOUSEKEEPING,
        TABLE_CHECK,
        BACKLOG,
        SWEEP,
        LEASES,
        WORKER
    }
}
