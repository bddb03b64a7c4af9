package dev.cdioutbox.internal.dispatch.upkeep;

import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Warns of messages that wait for a destination without a worker on this node. After a removal or rename of a
 * destination in the configuration, its messages wait, and no failing delivery reports them. Thread-safe.
 */
public final class UnservedDestinations implements DispatchListener {
    private static final Logger LOG = Logger.getLogger(UnservedDestinations.class.getName());

    private final Set<String> served;
    private Set<String> reported = Set.of();

    /** @param served the destinations that have a worker on this node */
    public UnservedDestinations(Set<String> served) {
        this.served = Set.copyOf(served);
    }

    @Override
    public synchronized void backlog(String outbox, OutboxBacklog backlog) {
        Set<String> unserved = new TreeSet<>(backlog.oldestOf().keySet());
        unserved.removeAll(served);
        if (!reported.containsAll(unserved)) {
            LOG.warning(Problem.UNSERVED_DESTINATIONS.text(outbox, unserved, served));
        }
        reported = unserved;
    }
}
