package dev.cdioutbox.operate;

import java.time.Duration;
import java.time.Instant;

/**
 * A process that dispatches messages of this application: a deployment on one server, from its start to its stop. Times
 * are the database's. Each process also reads these rows itself, to find out which other ones have crashed, and whether it is
 * the only one. Immutable.
 *
 * @param id a random id, new at each start; not null
 * @param module the name of the module without a version, for example that of the WAR; not null
 * @param host the name of the machine; not null
 * @param server the name of its server, or "unknown"; not null
 * @param process the process id
 * @param version the version of the outbox; not null
 * @param startedAt the time of the first heartbeat; not null
 * @param lastSeenAt the time of the last heartbeat; a node writes one every 10 seconds; not null
 * @param silentFor the time since the last heartbeat; not null
 * @param partitions the number of partitions claimed at that time; it stays above 0 while a send hangs
 */
public record OutboxNode(
        String id,
        String module,
        String host,
        String server,
        long process,
        String version,
        Instant startedAt,
        Instant lastSeenAt,
        Duration silentFor,
        int partitions) {

    /** A node without a heartbeat for this time counts as dead: stopped, killed, or cut off from the database. */
    public static final Duration DEAD_AFTER = Duration.ofSeconds(30);

    /**
     * Whether the last heartbeat is recent. A dead process holds no claims: they ended with its database connections.
     *
     * @return false if the node is most likely dead
     */
    public boolean isAlive() {
        return silentFor.compareTo(DEAD_AFTER) < 0;
    }
}
