package dev.cdioutbox.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.capture.FakeRegistry;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.consume.Received.Place;
import dev.cdioutbox.internal.outbox.CaptureListener;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.CountedSource;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TransactionSource;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A received message is stored once, in the order of its key, and none is lost. */
class MessageInboxTest extends StoreContract {
    private static final Instant NOON = Instant.parse("2026-11-01T12:00:00Z");

    private final List<String> skipped = new ArrayList<>();

    @AutoClose
    private final Node node = new Node();

    @AutoClose("shutdownNow")
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    private final Database kind;

    MessageInboxTest(Database kind) throws SQLException {
        super(kind);
        this.kind = kind;
    }

    @Test
    void messageIsStoredAsItsSenderHasDescribedIt() throws SQLException {
        Map<String, String> properties = new TreeMap<>(properties(1));
        properties.putAll(Map.of(
                "schemaVersion", "3",
                "aggregateType", "Order",
                "messageKey", "customer-9",
                "tenantId", "acme",
                "contentType", "application/vnd.order+json",
                "occurredAt", "2026-11-01T11:00:00Z",
                "traceparent", "00-trace",
                "generation", "2",
                "origin", "web"));
        assertThat(node.accept("shipping", received("m1", null, false), event("OrderPlaced", properties)))
                .isTrue();

        OutboxMessage stored = stored(OutboxStatus.PENDING).get(0);
        assertThat(stored.event().type()).isEqualTo("OrderPlaced");
        assertThat(stored.event().version()).isEqualTo(3);
        assertThat(stored.event().aggregateType()).isEqualTo("Order");
        assertThat(stored.event().key()).isEqualTo("customer-9");
        assertThat(stored.event().aggregateId()).isEqualTo("order-1");
        assertThat(stored.body().text()).isEqualTo("{}");
        assertThat(stored.body().contentType()).isEqualTo("application/vnd.order+json");
        assertThat(stored.context().tenantId()).isEqualTo("acme");
        assertThat(stored.context().correlationId()).isEqualTo("process 7");
        assertThat(stored.context().causationId()).isEqualTo("m1");
        assertThat(stored.context().headers())
                .containsOnly(
                        Map.entry("traceparent", "00-trace"), Map.entry("generation", "2"), Map.entry("origin", "web"));
        assertThat(stored.occurredAt()).isEqualTo("2026-11-01T11:00:00Z");
        assertThat(stored.delivery().destination()).isEqualTo("shipping");
    }

    @Test
    void copyIsNotStoredAgainForTheSameHandler() throws SQLException {
        assertThat(node.accept("shipping", 1)).isTrue();
        assertThat(node.accept("shipping", 1)).isFalse();
        assertThat(node.accept("audit", 1)).isTrue();

        assertThat(stored(OutboxStatus.PENDING))
                .extracting(message -> message.delivery().destination())
                .containsExactlyInAnyOrder("shipping", "audit");
        assertThat(skipped).containsExactly("shipping m1");
    }

    /** The index of the ids refuses it first, and the broker delivers it again. */
    @Test
    void copyThatTheInboxHasForgottenIsRecognizedByTheStoredMessage() throws SQLException {
        node.accept("shipping", 1);
        database.update("DELETE FROM shop_inbox");

        assertThatThrownBy(
                        () -> node.accept("shipping", received("m1", null, false), event("OrderPlaced", properties(1))))
                .isInstanceOf(OutboxException.class);
        assertThat(node.accept("shipping", received("m1", null, true), event("OrderPlaced", properties(1))))
                .isFalse();
        assertThat(stored(OutboxStatus.PENDING)).hasSize(1);
        assertThat(skipped).containsExactly("shipping m1");
    }

    @Test
    void messageThatCameAfterALaterOneOfItsKeyIsSetAside() throws SQLException {
        for (int sequence : new int[] {2, 1, 3}) {
            assertThat(node.accept("shipping", sequence)).isTrue();
        }

        assertThat(stored(OutboxStatus.PENDING))
                .extracting(message -> message.context().causationId())
                .containsExactly("m3", "m2");
        assertThat(stored(OutboxStatus.ABANDONED)).singleElement().satisfies(late -> {
            assertThat(late.context().causationId()).isEqualTo("m1");
            assertThat(late.delivery().lastError())
                    .startsWith(
                            "OBX-0472: message m1 for the handler 'shipping' (key order-1, sequence 1) is set aside: a later");
        });
    }

    @Test
    void listenersAreToldOfWhatIsSetAside() throws SQLException {
        List<String> told = new ArrayList<>();
        node.standard.captured().add(new CaptureListener() {
            @Override
            public void captured(List<NewMessage> messages) {
                messages.forEach(message -> told.add(message.context().causationId()));
            }

            @Override
            public void setAside(DestinationId destination, NewMessage message, long sequence, String reason) {
                told.add(destination + " " + message.context().causationId() + " " + reason.substring(0, 8));
                assertThat(stored(OutboxStatus.ABANDONED))
                        .extracting(OutboxMessage::sequence)
                        .containsExactly(sequence);
            }
        });

        node.accept("shipping", 2);
        node.accept("shipping", 1);
        assertThat(told).containsExactly("m2", "m1", "shipping m1 OBX-0472");
    }

    @Test
    void messageWhosePlaceIsNotCertainIsSetAside() throws SQLException {
        node.accept(
                "shipping", received("m9", new Place("order-1", 9, NOON), false), event("OrderPlaced", properties(9)));
        Place afterAReset = new Place("order-1", 3, NOON.plusSeconds(600));
        node.accept("shipping", received("m3", afterAReset, false), event("OrderPlaced", properties(3)));
        assertThat(reasonsOf(stored(OutboxStatus.ABANDONED)))
                .singleElement()
                .asString()
                .contains("begun again");

        database.update("UPDATE shop_inbox_key SET message_key = '' WHERE message_key = 'order-1'");
        Place ofAForgottenKey = new Place("order-2", 4, NOON);
        node.accept("shipping", received("m4", ofAForgottenKey, false), event("OrderPlaced", properties(4)));
        assertThat(reasonsOf(stored(OutboxStatus.ABANDONED)))
                .anyMatch(reason -> reason.contains("outbox.retention.inbox"));
    }

    @Test
    void messagesOfAKeyAreStoredInTheOrderOfTheAccepts() throws Exception {
        assertSecondWaits(1, new Place("order-1", 1, NOON), new Place("order-1", 2, NOON));
        assertSecondWaits(3, null, null);
    }

    private void assertSecondWaits(int first, Place early, Place late) throws Exception {
        try (Node second = new Node()) {
            Map<String, String> properties = properties(first);
            node.transaction.begin();
            node.inbox.accept("shipping", received("m" + first, early, false), event("OrderPlaced", properties));
            Future<Boolean> waiting = other.submit(() -> second.accept(
                    "shipping", received("m" + (first + 1), late, false), event("OrderPlaced", properties)));
            while (!waiting.isDone()
                    && database.query(database.kind().blocked()).equals(List.of("0"))) {
                Thread.onSpinWait();
            }
            assertThat(waiting.isDone()).as("sequence " + first).isFalse();
            node.transaction.commit();
            assertThat(waiting.get()).isTrue();
        }
        assertThat(stored(OutboxStatus.PENDING))
                .extracting(message -> message.context().causationId())
                .startsWith("m" + (first + 1), "m" + first);
    }

    @Test
    void nameThatIsNoHandlersIsRefusedAndNothingCommits() {
        for (String name : List.of("shiping", "default", "elsewhere/shipping")) {
            node.registry.begin();
            assertThatThrownBy(
                            () -> node.inbox.accept(name, received("m1", null, false), event("OrderPlaced", Map.of())))
                    .as(name)
                    .hasMessageStartingWith("OBX-0470: the inbox got message m1 for the handler '" + name + "'")
                    .hasMessageEndingWith("there are [audit, billing/shipping, shipping].");
            assertThat(node.registry.getRollbackOnly()).isTrue();
        }
    }

    @Test
    void whatNoTableCanHoldIsRefusedAndNothingCommits() {
        assertRefused(event(null, properties(1)), "it has no event type");
        assertRefused(event("OrderPlaced", OutboxPayload.text("a\0"), properties(1)), "its text contains");
        assertRefused(with("messageKey", "k".repeat(256)), "its key has 256 characters");
        assertRefused(with("origin", "\ud800"), "its property origin contains half");
        assertRefused(with("contentType", "c".repeat(101)), "its content type");
    }

    private void assertRefused(ReceivedJsonEvent event, String why) {
        node.registry.begin();
        assertThatThrownBy(() -> node.inbox.accept("shipping", received("m1", null, false), event))
                .isInstanceOf(EventRefusedException.class)
                .hasMessageStartingWith("OBX-0471: message m1 for the handler 'shipping' cannot be stored: " + why);
        assertThat(node.registry.getRollbackOnly()).isTrue();
        node.registry.commit();
        database.update("DELETE FROM shop_inbox");
    }

    @Test
    void dispatcherIsToldAfterTheCommit() throws SQLException {
        List<String> told = new ArrayList<>();
        node.standard.captured().add(messages -> messages.forEach(message -> told.add(message.destination())));

        node.transaction.begin();
        node.inbox.accept("shipping", received("m1", null, false), event("OrderPlaced", properties(1)));
        assertThat(told).isEmpty();
        node.registry.commit();
        assertThat(told).containsExactly("shipping");
    }

    /** The gates of speed, as in {@code StatementCountTest}: the statements of each accept. */
    @Test
    void statementsOfEachAcceptAreCounted() throws SQLException {
        List<Integer> sent = List.of(
                statementsOf(() -> node.accept("shipping", 2)),
                statementsOf(() -> node.accept("shipping", 3)),
                statementsOf(() -> node.accept("shipping", 3)),
                statementsOf(() -> node.accept("shipping", 1)),
                statementsOf(() -> node.accept("shipping", received("m4", null, false), event("A", properties(4)))));

        assertThat(sent)
                .as("the first of its key, the next one, a copy, an older one, and one without a place")
                .isEqualTo(
                        switch (kind) {
                            case H2 -> List.of(5, 4, 1, 9, 4);
                            case POSTGRESQL -> List.of(4, 3, 1, 8, 3);
                            case MARIADB, MYSQL -> List.of(11, 7, 1, 12, 7);
                        });
    }

    private int statementsOf(Accept accept) throws SQLException {
        node.counted.takeSent();
        accept.call();
        return node.counted.takeSent().statements();
    }

    private interface Accept {
        boolean call() throws SQLException;
    }

    private List<OutboxMessage> stored(OutboxStatus status) {
        return node.store.finder().find(OutboxFilter.all().withStatus(status), OutboxPageRequest.of(100));
    }

    private static List<String> reasonsOf(List<OutboxMessage> messages) {
        return messages.stream().map(message -> message.delivery().lastError()).toList();
    }

    private static Received received(String id, Place place, boolean redelivered) {
        return new Received(new ConsumedMessage(id, "OrderPlaced", "process 7"), place, redelivered);
    }

    private static Map<String, String> properties(int sequence) {
        return Map.of(
                "messageId",
                "m" + sequence,
                "aggregateId",
                "order-1",
                "sequence",
                String.valueOf(sequence),
                "storedAt",
                NOON + "");
    }

    private static ReceivedJsonEvent with(String property, String text) {
        Map<String, String> properties = new TreeMap<>(properties(1));
        properties.put(property, text);
        return event("OrderPlaced", properties);
    }

    private static ReceivedJsonEvent event(String type, Map<String, String> properties) {
        return event(type, OutboxPayload.text("{}"), properties);
    }

    private static ReceivedJsonEvent event(String type, OutboxPayload payload, Map<String, String> properties) {
        return new ReceivedJsonEvent(type, properties, payload, () -> null);
    }

    /** An inbox whose statements are all in one transaction. */
    private final class Node implements AutoCloseable {
        final CountedSource counted = new CountedSource(database);
        final TransactionSource transaction = new TransactionSource(counted.dataSource());
        final FakeRegistry registry = new FakeRegistry();
        final MessageInbox inbox = new MessageInbox();
        final JdbcOutboxStore store;
        final OutboxInstance standard;

        Node() throws SQLException {
            Set<String> handlers = Set.of("shipping", "audit");
            JdbcOutboxStore.open(database.dataSource(), TestDatabase.config(SchemaMode.CREATE, "shop", 4), handlers);
            store = JdbcOutboxStore.open(
                    transaction.dataSource(), TestDatabase.config(SchemaMode.NONE, "shop", 4), handlers);
            standard =
                    outbox(TestConfig.withHandlers(Map.of("shipping", List.of("OrderPlaced"), "audit", List.of("*"))));
            OutboxConfig other = TestConfig.ofOutbox("billing", Map.of("shipping", List.of("*")));
            inbox.outboxes = new Outboxes(List.of(standard, outbox(other)), registry, Set::of);
            inbox.listeners = new Recorded();
            inbox.receiver = new IdempotentReceiver();
            inbox.receiver.outboxes = inbox.outboxes;
            inbox.receiver.listeners = inbox.listeners;
        }

        private OutboxInstance outbox(OutboxConfig config) {
            return new OutboxInstance(config.outbox(), new CurrentConfig(config), store);
        }

        boolean accept(String handler, int sequence) throws SQLException {
            Place place = new Place("order-1", sequence, NOON);
            return accept(handler, received("m" + sequence, place, false), event("OrderPlaced", properties(sequence)));
        }

        boolean accept(String handler, Received received, ReceivedJsonEvent event) throws SQLException {
            registry.begin();
            transaction.begin();
            try {
                return inbox.accept(handler, received, event);
            } finally {
                if (registry.getRollbackOnly()) {
                    transaction.connection().rollback();
                } else {
                    transaction.commit();
                }
                registry.commit();
            }
        }

        @Override
        public void close() throws SQLException {
            transaction.close();
            counted.close();
        }
    }

    private final class Recorded extends ConsumerListeners {
        @Override
        public void tell(Consumer<ConsumerListener> news) {
            news.accept(new ConsumerListener() {
                @Override
                public void skippedDuplicate(String consumer, ConsumedMessage message) {
                    skipped.add(consumer + " " + message.id());
                }
            });
        }
    }
}
