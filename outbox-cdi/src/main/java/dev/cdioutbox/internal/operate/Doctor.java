package dev.cdioutbox.internal.operate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.ConfigKey;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.consume.MessageEndpoints;
import dev.cdioutbox.internal.consume.PausedConsumers;
import dev.cdioutbox.internal.dispatch.NodeFindings;
import dev.cdioutbox.internal.observe.DestinationState;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.node.PreparedTransactions;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.BlockedKeyFinder.BlockedKeys;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxFinding;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.spi.DestinationId;

/**
 * Finds what is wrong with an outbox. Repeats the checks of the start and of the timers, and asks the gauges what deliveries
 * have found, so that it never waits for a broker.
 */
record Doctor(OutboxInstance outbox, Outboxes outboxes, Gauges gauges, PausedConsumers paused) {
    /** Messages that are delayed by less are rare, and a clock that follows a time server is exact to milliseconds. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(5);

    /** As long as the alert OutboxLate waits. */
    private static final Duration LATE = Duration.ofMinutes(5);

    /** Those that hold up most messages. */
    private static final int BLOCKED_KEYS = 100;

    /** A batch needs up to three at a time: of its claim, of its transaction, and for a question meanwhile. */
    private static final int CONNECTIONS_OF_A_THREAD = 3;

    /** Do not call this in a JTA transaction. */
    List<OutboxFinding> findings() {
        List<OutboxFinding> found = new ArrayList<>(outboxes.findings());
        found.addAll(outbox.config().findings());
        String problem = outbox.problem();
        if (!outbox.isStoreOpen()) {
            found.add(OutboxCode.STORE_WAITS.finding(outbox.name(), problem));
        } else if (problem != null) {
            found.add(of(problem));
        } else {
            try {
                found.addAll(ofDatabase(outbox.store()));
            } catch (RuntimeException e) {
                found.add(of(FailureReason.of(e)));
            }
        }
        // Before the destinations: a queue is full because nobody reads it.
        found.addAll(paused.findings(outbox.name()));
        List<String> deaf = new ArrayList<>(MessageEndpoints.paused(MessageEndpoints.application()));
        deaf.removeAll(paused.endpoints());
        if (!deaf.isEmpty()) {
            found.add(OutboxCode.MESSAGE_DRIVEN_DEAF.finding(String.join(", ", deaf)));
        }
        OutboxConfig config = config();
        for (String name : config.destinations().keySet()) {
            DestinationId id = config.destinationId(name);
            ofDestination(id, gauges.destination(id))
                    .or(() -> Optional.ofNullable(gauges.failing(id)))
                    .ifPresent(found::add);
        }
        config.console().deadLetters().values().stream()
                .map(queue -> gauges.deadLetters(queue).finding())
                .filter(Objects::nonNull)
                .forEach(found::add);
        return found.stream().distinct().toList();
    }

    /** @param findings those of {@link #findings} */
    List<ChecklistAnswer> checklist(List<OutboxFinding> findings) {
        boolean isRead = outbox.isStoreOpen() && outbox.problem() == null;
        return ChecklistLine.answers(new ChecklistLine.Facts(
                config(),
                findings,
                isRead ? outbox.store().nodes().all() : List.of(),
                isRead,
                isRead && outbox.store().setup().tellsDurability()));
    }

    private static Finding of(String reason) {
        return Finding.of(reason, OutboxCode.DATABASE_FAILED.finding("looking at the tables", reason));
    }

    private List<Finding> ofDatabase(JdbcOutboxStore store) {
        List<Finding> found = new ArrayList<>(store.setup().findings(config().retention()));
        found.addAll(store.setup().findingsOfSettings(config().capture().maxPayloadBytes()));
        PreparedTransactions prepared = store.probes().preparedTransactions();
        found.addAll(NodeFindings.findings(
                config(), outbox.config().module(), store.nodes().all(), prepared));
        ofPrepared(config(), prepared).ifPresent(found::add);
        Instant before = Instant.now();
        OutboxBacklog backlog = store.status().backlog();
        ofClocks(before, backlog.readAt(), Instant.now()).ifPresent(found::add);
        Set<String> served = config().dispatch().keySet();
        Set<String> unserved = NodeFindings.unserved(backlog, served);
        if (!unserved.isEmpty()) {
            found.add(OutboxCode.UNSERVED_DESTINATIONS.finding(outbox.name(), unserved, served));
        }
        if (backlog.abandoned() > 0) {
            String number = backlog.abandoned() < OutboxBacklog.CAP
                    ? String.valueOf(backlog.abandoned())
                    : backlog.abandoned() + " or more";
            found.add(OutboxCode.MESSAGES_ABANDONED.finding(number, outbox.name(), oneAbandoned(store)));
        }
        for (String name : config().destinations().keySet()) {
            Instant oldest = backlog.oldestOf().get(name);
            ofRate(
                            config().destinationId(name),
                            gauges.destination(config().destinationId(name)).isHeldBack(),
                            config().of(name).dispatcher().rate(),
                            oldest == null ? Duration.ZERO : Duration.between(oldest, backlog.readAt()))
                    .ifPresent(found::add);
        }
        String dataSource = dispatching(config().store());
        ofPool(dataSource, ConnectionPool.size(dataSource), threads(dataSource)).ifPresent(found::add);
        return found;
    }

    /** The one that holds up most messages, or else the newest. */
    private static String oneAbandoned(JdbcOutboxStore store) {
        BlockedKeys blocked = store.operations().blockedKeys().find(BLOCKED_KEYS);
        return blocked.keys().stream()
                .filter(key -> key.status() == OutboxStatus.ABANDONED)
                .findFirst()
                .map(key -> "%s, with %s message(s)%s waiting behind it"
                        .formatted(
                                describe(key.message(), key.type(), key.key(), key.destination()),
                                key.waiting(),
                                blocked.isCapped() ? " or more" : ""))
                .or(() -> store
                        .finder()
                        .list(OutboxFilter.all().withStatus(OutboxStatus.ABANDONED), OutboxPageRequest.of(1))
                        .messages()
                        .stream()
                        .map(message -> describe(
                                message.id().toString(),
                                message.event().type(),
                                message.orderingKey(),
                                message.delivery().destination()))
                        .findFirst())
                .orElse("one that has been removed since");
    }

    /** As the log's line of it. */
    private static String describe(String id, String type, String key, String destination) {
        return "%s (%s, key %s, destination '%s')".formatted(id, type, key, destination);
    }

    /** @param rate null without a limit */
    static Optional<Finding> ofRate(DestinationId id, boolean isHeldBack, Integer rate, Duration waited) {
        return isHeldBack && rate != null && waited.compareTo(LATE) > 0
                ? Optional.of(OutboxCode.RATE_HOLDS_BACK.finding(
                        id, rate, Duration.ofMinutes(waited.toMinutes()), ConfigKey.RATE.of(id)))
                : Optional.empty();
    }

    /**
     * With exactly-once, OBX-0403 says so. Whoever follows its advice and sets at-least-once still has consumers of the broker
     * that need XA.
     *
     * @param prepared null if the database does not limit them
     */
    static Optional<Finding> ofPrepared(OutboxConfig config, PreparedTransactions prepared) {
        boolean isJms = config.dispatch().entrySet().stream()
                .anyMatch(each ->
                        config.destinations().get(each.getKey()).transport().equals(DestinationConfig.JMS)
                                && each.getValue().dispatcher().enabled()
                                && each.getValue().dispatcher().delivery() == Guarantee.AT_LEAST_ONCE);
        return prepared != null && prepared.isForbidden() && isJms
                ? Optional.of(OutboxCode.PREPARED_FORBIDDEN.finding())
                : Optional.empty();
    }

    /** What the last run to a destination has found, or whether one hangs. */
    static Optional<Finding> ofDestination(DestinationId id, DestinationState state) {
        Duration silence = Duration.ofSeconds(state.silence().toSeconds());
        return state.isSilent()
                ? Optional.of(OutboxCode.BROKER_SILENT.finding(id, silence))
                : Optional.ofNullable(state.finding());
    }

    /** The database read its clock between two looks at the one of this server. */
    static Optional<Finding> ofClocks(Instant before, Instant database, Instant after) {
        Duration behind = Duration.between(after, database);
        Duration ahead = Duration.between(database, before);
        boolean isBehind = behind.compareTo(ahead) > 0;
        Duration difference = isBehind ? behind : ahead;
        return difference.compareTo(CLOCK_TOLERANCE) < 0
                ? Optional.empty()
                : Optional.of(
                        OutboxCode.CLOCKS_DIFFER.finding(difference.toSeconds(), isBehind ? "behind" : "ahead of"));
    }

    /** @param size null if the server does not tell, or does not limit it */
    static Optional<Finding> ofPool(String dataSource, Long size, int threads) {
        int needed = threads * CONNECTIONS_OF_A_THREAD;
        return size == null || size > needed
                ? Optional.empty()
                : Optional.of(OutboxCode.POOL_TOO_SMALL.finding(dataSource, size, needed));
    }

    /** The threads that deliver on this node by the same DataSource. */
    private int threads(String dataSource) {
        return outboxes.all().stream()
                .map(each -> each.config().current())
                .filter(each -> dispatching(each.store()).equals(dataSource))
                .flatMap(each -> each.dispatch().values().stream())
                .filter(own -> own.dispatcher().enabled())
                .mapToInt(own -> own.dispatcher().concurrency())
                .sum();
    }

    private static String dispatching(StoreConfig store) {
        return store.dispatchingDataSource() == null ? store.dataSource() : store.dispatchingDataSource();
    }

    private OutboxConfig config() {
        return outbox.config().current();
    }
}
