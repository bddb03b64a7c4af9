package dev.cdioutbox.jms.internal;

import java.io.Serializable;

/**
 * What a timer is for.
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
