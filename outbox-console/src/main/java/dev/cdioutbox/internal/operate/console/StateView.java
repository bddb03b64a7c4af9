package dev.cdioutbox.internal.operate.console;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.observe.Gauges.DeadLetterCount;
import dev.cdioutbox.internal.store.operate.BacklogReader.Waiting;
import dev.cdioutbox.operate.OutboxBackfill;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxNode;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.jspecify.annotations.Nullable;

/**
 * The state of an outbox for the page: its destinations and nodes, its oldest messages, and whether something waits
 * for an operator. Public, as JSON-B needs it.
 *
 * @param user who asks
 * @param role the highest of the console's roles that the user has
 * @param idle whether no living node has an enabled dispatcher
 * @param cap the highest count: counting stops there
 * @param destinations by name
 * @param shadowDestination the shadow destination; null if there is none
 * @param deadLetterQueues the queues of dead letters of consumers
 * @param stuck the oldest waiting message, or that nobody has looked for it yet; null if none is due
 */
public record StateView(
        String user,
        String role,
        String outbox,
        Set<String> outboxes,
        String application,
        boolean dispatching,
        boolean idle,
        int cap,
        OutboxBacklog backlog,
        Map<String, DestinationView> destinations,
        @Nullable String shadowDestination,
        @Nullable Stuck stuck,
        List<NodeState> nodes,
        List<ConsumerHistory.Consumer> consumers,
        List<DeadLetterQueue> deadLetterQueues,
        List<ThroughputHistory.Sample> samples) {
    private static final Duration LONG = Duration.ofMinutes(1);

    /** In rows, for the search for the oldest message: some of the rows may be delayed. */
    private static final int OLDEST_ROWS = 100;

    static StateView of(
            SelectedOutbox selected,
            ApiRequest request,
            Set<String> outboxes,
            List<ConsumerHistory.Consumer> consumers,
            List<ThroughputHistory.Sample> samples) {
        OutboxConfig config = selected.config();
        Disclosure disclosure = request.disclosure();
        OutboxBacklog backlog = selected.operations().status();
        List<OutboxNode> nodes = selected.operations().nodes();
        Map<String, Waiting> waiting =
                selected.outbox().store().status().waiting(config.destinations().keySet());
        Map<String, OutboxBackfill> backfills = selected.operations().backfills().stream()
                .collect(Collectors.toMap(OutboxBackfill::destination, Function.identity()));
        Map<String, DestinationView> destinations = new TreeMap<>();
        for (String name : config.destinations().keySet()) {
            Instant oldest = backlog.oldestOf().get(name);
            destinations.put(
                    name,
                    DestinationView.of(selected, name, waiting.get(name), oldest, backfills.get(name), disclosure));
        }
        return new StateView(
                request.user(),
                request.role().label(),
                selected.outbox().name(),
                outboxes,
                config.store().application(),
                config.isDispatching(),
                selected.isIdle(nodes),
                OutboxBacklog.CAP,
                backlog,
                destinations,
                config.dispatcher().shadowDestination(),
                stuck(selected, backlog, disclosure),
                nodes.stream()
                        .map(node -> new NodeState(node, selected.isHere(node), selected.isOff(node)))
                        .toList(),
                consumers.stream().map(disclosure::consumer).toList(),
                config.console().deadLetters().values().stream()
                        .map(queue -> new DeadLetterQueue(
                                queue.name(),
                                selected.gauges().deadLetters(queue).letters()))
                        .toList(),
                samples);
    }

    /**
     * The oldest waiting message and why it waits, which shows why nothing moves. Its row may be older than its wait, which begins
     * at the end of a delay or at an operator's retry or replay.
     */
    private static @Nullable Stuck stuck(SelectedOutbox selected, OutboxBacklog backlog, Disclosure disclosure) {
        Instant since = backlog.oldest();
        if (isNotKnownYet(since, backlog.readAt())) {
            return Stuck.NOT_KNOWN_YET;
        }
        if (since == null) {
            return null;
        }
        OutboxFilter stored = OutboxFilter.all()
                .withStatus(OutboxStatus.PENDING, OutboxStatus.FAILED)
                .withCreated(null, since.plusMillis(1));
        OutboxPageRequest rows = OutboxPageRequest.of(OLDEST_ROWS);
        return selected.outbox().store().finder().list(stored, rows).messages().stream()
                .filter(message -> message.terms().notBefore() == null
                        || !message.terms().notBefore().isAfter(backlog.readAt()))
                .findFirst()
                .map(message -> new Stuck(
                        message.id().toString(),
                        WaitReason.of(selected, message, disclosure).reason().orElse("")))
                .orElse(null);
    }

    /** Most messages are sent sooner, so that a look for the reason would be in vain. */
    static boolean isNotKnownYet(@Nullable Instant since, Instant readAt) {
        return since != null && Duration.between(since, readAt).compareTo(LONG) < 0;
    }

    /**
     * The oldest waiting message, with the reason why it waits.
     *
     * @param id null while nobody has looked for it
     */
    public record Stuck(@Nullable String id, String why) {
        static final Stuck NOT_KNOWN_YET =
                new Stuck(null, "Why the oldest message waits is not known yet: it has waited for less than a minute.");
    }

    /**
     * A queue of dead letters of consumers.
     *
     * @param letters how many this node has counted there, up to {@link DeadLetterCount#MOST}; null if it does not know
     */
    public record DeadLetterQueue(String name, @Nullable Integer letters) {}

    /**
     * A dispatching node.
     *
     * @param here whether this node answered the request
     * @param disabled whether the node's dispatcher is disabled, as far as the answering node knows
     */
    public record NodeState(OutboxNode node, boolean here, boolean disabled) {}
}
