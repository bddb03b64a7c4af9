package dev.cdioutbox.internal.ejb;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.function.Consumer;

import dev.cdioutbox.internal.dispatch.Dispatcher;

/**
 * The timers of an outbox on each node, with their periods and actions. Each outbox has its own: one whose database hangs must
 * not stop the heartbeats and leases of another. The container never overlaps the calls of one timer, so what must not wait for
 * slow work has a timer to itself.
 */
enum OutboxTimer {
    /** Applies a changed configuration, and stands in for a worker's timer whose thread hangs. Never blocks. */
    HOUSEKEEPING(ofSeconds(1), DispatchedOutbox::housekeep),

    /** Renews the leases of batches in flight. */
    LEASES(ofSeconds(1), dispatcher(Dispatcher::renewLeases)),

    /** Checks the tables, and begins to dispatch when they are there. */
    TABLE_CHECK(ofSeconds(10), DispatchedOutbox::checkTables),

    /** Writes this node's row. */
    HEARTBEAT(ofSeconds(10), dispatcher(Dispatcher::writeHeartbeat)),

    /** Counts what waits, and asks which rows are still in doubt. */
    BACKLOG(ofSeconds(10), DispatchedOutbox::refreshBacklog),

    /** Counts the dead letters of consumers. */
    DEAD_LETTERS(ofSeconds(10), DispatchedOutbox::countDeadLetters),

    /** Finds out whether this node is alone, and whether other modules dispatch the same messages. */
    NODES(ofMinutes(1), dispatcher(Dispatcher::checkNodes)),

    /** Removes old messages, records of the inbox, and rows of nodes and probes. */
    PURGE(ofMinutes(1), ofMinutes(1), DispatchedOutbox::purge),

    /** Continues backfills. Has no period: a look at the backlog that finds some calls it, and so does a call that leaves some. */
    BACKFILL(ofMillis(10), null, DispatchedOutbox::backfill),

    /**
     * Logs once what the doctor finds, after each worker has tried its destination: the messaging of the same server is often up
     * later than the application.
     */
    DIAGNOSIS(ofSeconds(10), null, DispatchedOutbox::diagnose);

    /** The time from the start to the first call, or the delay of the only one. */
    final Duration first;

    /** Null if the timer calls once. */
    final Duration period;

    final Consumer<DispatchedOutbox> action;

    /** Calls soon after the start. */
    OutboxTimer(Duration period, Consumer<DispatchedOutbox> action) {
        this(ofMillis(500), period, action);
    }

    OutboxTimer(Duration first, Duration period, Consumer<DispatchedOutbox> action) {
        this.first = first;
        this.period = period;
        this.action = action;
    }

    /** Does nothing until the tables are there. */
    private static Consumer<DispatchedOutbox> dispatcher(Consumer<Dispatcher> action) {
        return outbox -> outbox.dispatcher().ifPresent(action);
    }
}
