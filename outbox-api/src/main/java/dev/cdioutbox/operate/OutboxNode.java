package dev.cdioutbox.operate;

import java.time.Duration;
import java.time.Instant;

/**
 * A process that dispatches messages of this application: a deployment on one server, from its start to its stop. Times
 * are the database's. Immutable.
 *
 * <pre>{@code
 * boolean dispatching = outbox.nodes().stream().anyMatch(OutboxNode::isAlive);
 * }</pre>
 */
public interface OutboxNode {

    /** A node without a heartbeat for 30 seconds counts as dead: stopped, killed, or cut off from the database. */
    Duration DEAD_AFTER = Duration.ofSeconds(30);

    /** {@return a random id, new at each start; not null} */
    String id();

    /** {@return the name of the module without a version, for example that of the WAR; not null} */
    String module();

    /** {@return the name of the machine; not null} */
    String host();

    /** {@return the name of its server, or "unknown"; not null} */
    String server();

    /** {@return the process id} */
    long process();

    /** {@return the version of the outbox; not null} */
    String version();

    /** {@return the time of the first heartbeat; not null} */
    Instant startedAt();

    /** {@return the time of the last heartbeat; a node writes one every 10 seconds; not null} */
    Instant lastSeenAt();

    /** {@return the time since the last heartbeat; not null} */
    Duration silentFor();

    /** {@return the number of partitions claimed at that time; it stays above 0 while a send hangs} */
    int partitions();

    /**
     * Whether the last heartbeat is recent. A dead process holds no claims: they ended with its database connections.
     *
     * @return false if the node is most likely dead
     */
    default boolean isAlive() {
        return silentFor().compareTo(DEAD_AFTER) < 0;
    }
}
