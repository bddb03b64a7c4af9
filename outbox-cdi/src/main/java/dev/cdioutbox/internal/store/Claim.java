package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Partitions of one destination that are this node's alone until the claim is closed, and the messages that are due in
 * them. It is a row lock on a connection of its own, so it dies with the connection: no lease, no clock.
 */
public final class Claim implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(Claim.class.getName());

    private final Connection connection;
    private final List<Integer> queues;
    private final List<OutboxMessage> messages;
    private final Map<Long, String> undecodable;

    Claim(Connection connection, List<Integer> queues, List<OutboxMessage> messages, Map<Long, String> undecodable) {
        this.connection = connection;
        this.queues = List.copyOf(queues);
        this.messages = List.copyOf(messages);
        this.undecodable = Map.copyOf(undecodable);
    }

    /** The ids of the locked partitions. */
    public List<Integer> queues() {
        return queues;
    }

    /** What is due, for each key in order and without a gap. */
    public List<OutboxMessage> messages() {
        return messages;
    }

    /** Rows that cannot be read, with the reason. */
    public Map<Long, String> undecodable() {
        return undecodable;
    }

    public boolean isEmpty() {
        return messages.isEmpty() && undecodable.isEmpty();
    }

    /**
     * The messages without those that another transaction holds, and without what follows them: only a delivery in doubt
     * can hold one, and its key waits for the outcome.
     *
     * @param lockable the sequences that are free at this moment
     */
    public List<OutboxMessage> free(Set<Long> lockable) {
        Set<String> inDoubt = new HashSet<>();
        for (OutboxMessage message : messages) {
            if (!lockable.contains(message.sequence()) && message.event().key() != null) {
                inDoubt.add(message.event().key());
            }
        }
        return messages.stream()
                .filter(m -> lockable.contains(m.sequence()))
                .filter(m -> !inDoubt.contains(m.event().key()))
                .toList();
    }

    @Override
    public void close() {
        try (connection) {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            // The locks are gone with the connection; what was settled is committed elsewhere.
            LOG.log(Level.FINE, e, () -> Problem.DATABASE_FAILED.text("giving back a claim", Problem.reason(e)));
        }
    }
}
