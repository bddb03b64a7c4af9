package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.claim.UnreadableRow;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that a message is read as it was written, and that an unreadable row costs only itself and its followers. */
class RowsTest extends StoreContract {
    private static final ClaimLimits ALL = limits(1, 500, 10_000_000);

    private final JdbcOutboxStore store = database.open(1);

    RowsTest(Database kind) {
        super(kind);
    }

    @Test
    void messageComesBackAsItWasWritten() {
        Instant occurred = Instant.parse("2026-10-25T00:30:00.123456Z");
        NewMessage written = new NewMessage(
                UUID.randomUUID(),
                new Event("OrderPlaced", 3, "Order", "customer-1", "order-1"),
                new Body("application/json", OutboxPayload.text("{}")),
                new Context("correlation", "causation", "tenant", Map.of()),
                NewMessage.Terms.NONE,
                DESTINATION,
                occurred);
        Instant before = Instant.now();
        store.capture().write(List.of(written, message("order-2", "another")));

        OutboxMessage read = one(written.id());

        assertThat(read.event()).isEqualTo(written.event());
        assertThat(read.body()).isEqualTo(written.body());
        assertThat(read.context()).isEqualTo(written.context());
        assertThat(read.occurredAt()).isEqualTo(occurred);
        assertThat(read.delivery())
                .isEqualTo(
                        new StoredMessage.Delivery(DESTINATION, OutboxStatus.PENDING, 0, null, null, null, null, null));
        assertThat(stored("shop_message")).containsExactlyInAnyOrder("order-1", null);
        assertThat(stored("shop_message_view")).containsExactlyInAnyOrder("order-1", "order-2");
        assertThat(read.createdAt())
                .isBetween(before.minusSeconds(60), Instant.now().plusSeconds(60));
    }

    private List<String> stored(String table) {
        return database.query("SELECT aggregate_id FROM " + table);
    }

    /** 17 is a prime above the most rows of an INSERT, so each row has a statement; 34 rows share two statements. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 17, 34})
    void messagesOfOneTransactionFillDifferentColumns(int number) {
        List<NewMessage> written = IntStream.range(0, number)
                .mapToObj(i -> i % 2 == 0
                        ? message("a", "text " + i)
                        : new NewMessage(
                                UUID.randomUUID(),
                                new Event("OrderPlaced", 3, null, null, i % 4 == 1 ? "order-1" : null),
                                new Body("application/json", OutboxPayload.text("text " + i)),
                                new Context(
                                        "correlation",
                                        null,
                                        "tenant",
                                        i % 4 == 1 ? Map.of("trace", "1") : Map.of(),
                                        i % 3 != 0),
                                new NewMessage.Terms(null, Duration.ofHours(1), 5),
                                DESTINATION,
                                Instant.now()))
                .toList();

        store.capture().write(written);

        try (Claim claim = claim(store, ALL)) {
            assertThat(claim.messages())
                    .extracting(OutboxMessage::event, OutboxMessage::body, OutboxMessage::context)
                    .containsExactlyElementsOf(written.stream()
                            .map(one -> tuple(one.event(), one.body(), one.context()))
                            .toList());
            assertThat(claim.messages())
                    .extracting(
                            read -> read.terms().priority(),
                            read -> read.terms().expiresAt() != null)
                    .containsExactlyElementsOf(written.stream()
                            .map(one ->
                                    tuple(one.terms().priority(), one.terms().timeToLive() != null))
                            .toList());
        }
    }

    @Test
    void payloadsComeBackAsTheyWereWritten() {
        List<String> payloads = List.of(
                "",
                "'; DROP TABLE shop_message; --",
                "\t\n\r\b\f\"\\/\u2028 \\u0000 %s ? {fn x}",
                "\uD83D\uDE00",
                "ä".repeat(524_288));
        store.capture().write(payloads.stream().map(text -> message("a", text)).toList());

        try (Claim claim = claim(store, ALL)) {
            assertThat(texts(claim.messages())).isEqualTo(payloads);
            assertThat(claim.messages().get(4).body().bytes()).isEqualTo(1_048_576);
        }
    }

    @Test
    void keysAreComparedCharacterByCharacter() {
        store.capture().write(keyed("A", "a", "a ", ""));
        store.settlements()
                .settleUnsent(unsent(List.of(
                        new Retry(database.sequence("A"), OutboxStatus.FAILED, 1, Duration.ofHours(1), "no", true))));

        for (String key : List.of("A", "a", "a ", "")) {
            assertThat(texts(store.finder().find(OutboxFilter.all().withKey(key), OutboxPageRequest.of(100))))
                    .containsExactly(key);
        }
        try (Claim claim = claim(store, ALL)) {
            assertThat(texts(claim.messages())).containsExactly("a", "a ", "");
        }
    }

    @Test
    void messageIsStoredOnceOnly() {
        NewMessage message = message("a", "a");
        store.capture().write(List.of(message));

        assertThatThrownBy(() -> store.capture().write(List.of(message)))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0302: writing messages failed");
    }

    @Test
    void rowThatCannotBeReadCostsItselfAndItsFollowersOnly() {
        store.capture().write(List.of(message("a", "garbage"), message("a", "a2"), message("b", "b1")));
        long sequence = database.sequence("garbage");
        database.update("UPDATE shop_message SET message_id = 'no uuid' WHERE seq = ?", sequence);

        try (Claim claim = claim(store, ALL)) {
            assertThat(texts(claim.messages())).containsExactly("b1");
            assertThat(claim.unreadable()).singleElement().satisfies(row -> {
                assertThat(row.sequence()).isEqualTo(sequence);
                assertThat(row.problem()).contains("no uuid");
            });
            assertThat(claim.isEmpty()).isFalse();
        }
    }

    /** The claim reads this column beside the message. */
    @Test
    void columnThatCannotBeReadCostsItsRowAndTheFollowersOnly() {
        store.capture().write(List.of(message("a", "garbage"), message("a", "a2"), message("b", "b1")));
        long sequence = database.sequence("garbage");
        database.damage("queue.unfinished_sends", sequence);

        try (Claim claim = claim(store, ALL)) {
            assertThat(texts(claim.messages())).containsExactly("b1");
            assertThat(claim.unreadable()).extracting(UnreadableRow::sequence).containsExactly(sequence);
        }
    }

    /** The event is lost if a driver or a script has damaged it, but no consumer may take it for what was fired. */
    @Test
    void payloadThatIsNotTheStoredOneIsUnreadable() {
        store.capture().write(List.of(message("a", "Łódź"), message("b", "b1")));
        long sequence = database.sequence("Łódź");
        database.update("UPDATE shop_message SET payload = '?ód?' WHERE seq = ?", sequence);

        try (Claim claim = claim(store, ALL)) {
            assertThat(texts(claim.messages())).containsExactly("b1");
            assertThat(claim.unreadable()).singleElement().satisfies(row -> {
                assertThat(row.sequence()).isEqualTo(sequence);
                assertThat(row.problem()).isEqualTo("its payload has 5 bytes, and 7 were stored");
            });
        }
    }

    /**
     * If the unreadable row were abandoned first, it could block its key for ever, and with it the messages before it.
     */
    @Test
    void rowThatCannotBeReadWaitsForThoseBeforeItInItsKey() {
        store.capture().write(List.of(message("a", "a1"), message("a", "garbage"), message("b", "b1")));
        long sequence = database.sequence("garbage");
        database.update("UPDATE shop_message SET message_id = 'no uuid' WHERE seq = ?", sequence);

        try (Claim claim = claim(store, ALL)) {
            assertThat(texts(claim.messages())).containsExactly("a1", "b1");
            assertThat(claim.unreadable()).isEmpty();
        }
        store.settlements().settleSent(sent(List.of(database.sequence("a1"), database.sequence("b1"))));
        try (Claim claim = claim(store, ALL)) {
            assertThat(claim.unreadable()).extracting(UnreadableRow::sequence).containsExactly(sequence);
        }
    }

    @Test
    void rowThatCannotBeReadDoesNotHideTheOthersFromPeople() {
        store.capture().write(keyed("garbage", "b"));
        database.update("UPDATE shop_message SET message_id = 'no uuid' WHERE payload = 'garbage'");
        database.updateQueue("status = 2", "payload = 'garbage'");

        assertThat(texts(store.finder().find(OutboxFilter.all(), OutboxPageRequest.of(100))))
                .containsExactly("b");
        assertThat(store.finder()
                        .find(OutboxFilter.all().withStatus(OutboxStatus.ABANDONED), OutboxPageRequest.of(100)))
                .isEmpty();
    }

    @Test
    void findNarrowsDownByEveryFilter() {
        store.capture()
                .write(List.of(
                        message("OrderPlaced", "a", "1", DESTINATION),
                        message("OrderPaid", "a", "2", DESTINATION),
                        message("OrderPlaced", "b", "3", DESTINATION),
                        message("OrderPlaced", "a", "4", "audit")));
        store.settlements().settleSent(sent(List.of(database.sequence("1"))));

        assertThat(found(OutboxFilter.all())).containsExactly("4", "3", "2", "1");
        assertThat(found(OutboxFilter.all().withEventType("OrderPaid"))).containsExactly("2");
        assertThat(found(OutboxFilter.all().withKey("a"))).containsExactly("4", "2", "1");
        assertThat(found(OutboxFilter.all().withDestination("audit"))).containsExactly("4");
        assertThat(found(OutboxFilter.all().withStatus(OutboxStatus.PUBLISHED))).containsExactly("1");
        assertThat(found(OutboxFilter.all().withStatus(OutboxStatus.PUBLISHED, OutboxStatus.PENDING)))
                .hasSize(4);
        assertThat(found(OutboxFilter.all()
                        .withKey("a")
                        .withEventType("OrderPlaced")
                        .withDestination(DESTINATION)))
                .containsExactly("1");
        assertThat(texts(store.finder().find(OutboxFilter.all(), OutboxPageRequest.of(2))))
                .containsExactly("4", "3");
        assertThat(found(OutboxFilter.all().withKey("c"))).isEmpty();
    }

    @Test
    void backlogCountsWhatWaitsAndNamesTheOldest() {
        assertThat(store.status().backlog())
                .extracting(
                        OutboxBacklog::pending, OutboxBacklog::failed, OutboxBacklog::abandoned, OutboxBacklog::oldest)
                .containsExactly(0, 0, 0, null);

        store.capture().write(keyed("a", "b", "c", "d", "e", "f"));
        store.settlements().settleSent(sent(List.of(database.sequence("a"))));
        store.settlements()
                .settleUnsent(unsent(List.of(
                        new Retry(database.sequence("b"), OutboxStatus.FAILED, 1, Duration.ofHours(1), "no", true),
                        new Retry(database.sequence("c"), OutboxStatus.ABANDONED, 1, null, "no", false),
                        new Retry(database.sequence("d"), OutboxStatus.ABANDONED, 1, null, "no", true))));
        database.setTime("message", "created_at", Instant.parse("2026-01-01T00:00:00Z"), "payload IN ('a', 'c')");
        database.setTime("message", "created_at", Instant.parse("2026-01-02T00:00:00Z"), "payload = 'b'");

        OutboxBacklog backlog = store.status().backlog();

        assertThat(backlog.pending()).isEqualTo(2);
        assertThat(backlog.failed()).isEqualTo(1);
        assertThat(backlog.abandoned()).isEqualTo(2);
        assertThat(backlog.oldest()).isEqualTo("2026-01-02T00:00:00Z");
        assertThat(backlog.readAt().truncatedTo(ChronoUnit.HOURS))
                .isBetween(
                        Instant.now().minus(2, ChronoUnit.HOURS), Instant.now().plus(1, ChronoUnit.HOURS));
    }

    /** A requeued message must not raise the alarm for old messages: its age counts from the operation on. */
    @Test
    void requeuedMessageAgesFromThenOn() {
        Instant longAgo = Instant.parse("2020-01-01T00:00:00Z");
        store.capture().write(keyed("replayed"));
        database.setTime("message", "created_at", longAgo, "1 = 1");
        Long replayed = database.sequence("replayed");
        store.settlements().settleSent(sent(List.of(replayed)));

        store.operations().change(MessageOperation.REPLAY, List.of(replayed));
        OutboxBacklog now = store.status().backlog();
        assertThat(now.oldest()).as("put back").isBetween(now.readAt().minusSeconds(600), now.readAt());
        store.settlements()
                .settleUnsent(
                        unsent(List.of(new Retry(replayed, OutboxStatus.FAILED, 1, Duration.ofHours(1), "no", true))));
        assertThat(store.status().backlog().oldest()).as("and failed since").isEqualTo(now.oldest());
    }

    @Test
    void abandonedMessageThatBlocksItsKeyIsNotTheOldestThatStillHasToBeSent() {
        store.capture().write(keyed("a"));
        store.settlements()
                .settleUnsent(unsent(
                        List.of(new Retry(database.sequence("a"), OutboxStatus.ABANDONED, 1, null, "no", true))));

        assertThat(store.status().backlog().oldest()).isNull();
        assertThat(store.status().backlog().abandoned()).isEqualTo(1);
    }

    private OutboxMessage one(UUID id) {
        return store.finder().find(id.toString()).orElseThrow();
    }

    private List<String> found(OutboxFilter filter) {
        return texts(store.finder().find(filter, OutboxPageRequest.of(100)));
    }
}
