package dev.cdioutbox;

import java.time.Duration;
import java.time.Instant;

/**
 * A process that dispatches messages of this application: a deployment on one server, from its start to its stop. Times
 * are the database's. This is information: no delivery depends on it.
 *
 * @param id made anew at each start; not null
 * @param module the name of its module without a version, for example that of the WAR; not null
 * @param host the name of its machine; not null
 * @param server the name of its Liberty server; not null
 * @param process its process id
 * @param version the outbox's version; not null
 * @param startedAt when it was first seen; not null
 * @param lastSeenAt when it last said that it is there, which it does every few seconds; not null
 * @param silentFor how long ago that is; not null
 * @param partitions how many partitions it had claimed then: it stays above 0 where a send never returns
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

    /** Who was silent for so long is taken for dead: stopped, killed, or cut off from the database. */
    public static final Duration DEAD_AFTER = Duration.ofSeconds(30);

    /**
     * Whether it was seen lately. A node that is dead holds nothing: its claims died with its connections.
     *
     * @return false if it is most likely dead
     */
    public boolean isAlive() {
        return silentFor.compareTo(DEAD_AFTER) < 0;
    }
}
