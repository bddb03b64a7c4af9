package dev.cdioutbox.jms.internal;

import java.io.Serializable;

/**
 * What a timer is for.
 *
 * @param destination the lane's destination, or null
 */
record TimerCall(Kind kind, String destination) implements Serializable {

    enum Kind {
        PULSE,
        LOOK,
        WATCH,
        SWEEP,
        LEASES,
        LANE
    }
}
