package dev.cdioutbox.internal.store.operate;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.TransactionSource;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.settle.BlockedKeyTable;
import dev.cdioutbox.internal.store.settle.DeliveryTable;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;
import dev.cdioutbox.operate.OutboxAuditEntry;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Guards the effect of each operation on messages and destinations. */
class OperationsTest extends StoreContract {
    private static final ClaimLimits ALL = limits(8, 500, 1_000_000);

    private final JdbcOutboxStore store = database.open(4);
    private final OperatorStore operations = store.operations();

    OperationsTest(Database kind) {
        super(kind);
    }

    @AfterEach
    void eachMessageIsInOnePlace() {
        assertThat(database.misplaced()).isEmpty();
    }

    @Test
    void abandonedAndFailedMessagesAreRetriedFromTheStart() {
        abandoned("a", false);
        abandoned("b", true);
        failed("c");

        assertThat(change(store, MessageOperation.RETRY, OutboxFilter.all())).hasSize(3);

        assertThat(claimed()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(database.query("SELECT DISTINCT attempts FROM shop_message_view"))
                .containsExactly("0");
        assertThat(change(store, MessageOperation.RETRY, OutboxFilter.all()))
                .as("a second time")
                .isEmpty();
    }

    /**
     * A retried message whose time to live is over would be settled unsent, and purged. A time to live that is not over still
     * applies.
     */
    @Test
    void timeToLiveThatIsOverDoesNotCountAfterARetry() {
        for (String text : List.of("abandoned", "overdue", "failed")) {
            store.capture().write(List.of(terms(message(text, text), new Terms(null, Duration.ofHours(1), null))));
        }
        settled("abandoned", OutboxStatus.ABANDONED, false, 1);
        settled("overdue", OutboxStatus.FAILED, true, 1);
        settled("failed", OutboxStatus.FAILED, true, 1);
        database.setTime("message", "expires_at", Instant.now().minusSeconds(9999), "payload = 'overdue'");

        assertThat(change(store, MessageOperation.RETRY, OutboxFilter.all())).hasSize(3);

        assertThat(database.query("SELECT payload FROM shop_message_view WHERE expires_at IS NULL ORDER BY seq"))
                .containsExactly("abandoned", "overdue");
        assertThat(database.statuses()).containsOnly("PENDING");
    }

    @Test
    void discardedMessageIsNotSentAndItsFollowersAre() {
        abandoned("a", true);
        store.capture().write(List.of(message("a", "a2")));
        assertThat(claimed()).isEmpty();

        assertThat(change(store, MessageOperation.DISCARD, OutboxFilter.all().withStatus(OutboxStatus.ABANDONED)))
                .hasSize(1);

        assertThat(claimed()).containsExactly("a2");
        assertThat(database.statuses()).containsExactly("DISCARDED", "PENDING");
    }

    @Test
    void publishedMessagesAreSentAgainWithTheirIdsAndInTheirOrder() {
        store.capture().write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        List<String> ids = database.query("SELECT message_id FROM shop_message ORDER BY seq");
        publishAll();

        assertThat(change(store, MessageOperation.REPLAY, OutboxFilter.all().withKey("a")))
                .hasSize(2);

        assertThat(claimed()).containsExactly("a1", "a2");
        assertThat(database.query("SELECT message_id FROM shop_message ORDER BY seq"))
                .isEqualTo(ids);
        assertThat(database.query("SELECT COUNT(*) FROM shop_message_view WHERE published_at IS NULL"))
                .containsExactly("2");
    }

    @Test
    void messageWhosePayloadWasErasedIsNotSentAgain() {
        store.capture().write(keyed("a"));
        publishAll();
        database.update("UPDATE shop_message SET payload = NULL");

        assertThat(change(store, MessageOperation.REPLAY, OutboxFilter.all())).isEmpty();
    }

    @Test
    void replayedMessageGoesBackToThePartitionOfItsKey() {
        store.capture().write(numbered(0, 40, 20));
        List<String> queues = database.query("SELECT queue_id FROM shop_queue ORDER BY seq");
        publishAll();

        change(store, MessageOperation.REPLAY, OutboxFilter.all());

        assertThat(database.query("SELECT queue_id FROM shop_queue ORDER BY seq"))
                .isEqualTo(queues);
    }

    @Test
    void eachChangeConcernsItsStatesOnly() {
        store.capture().write(keyed("pending"));
        abandoned("abandoned", false);
        failed("failed");
        store.capture().write(keyed("published"));
        store.settlements().settleSent(sent(List.of(database.sequence("published"))));

        assertThat(change(store, MessageOperation.REPLAY, OutboxFilter.all().withStatus(OutboxStatus.PENDING)))
                .isEmpty();
        assertThat(change(store, MessageOperation.RETRY, OutboxFilter.all().withStatus(OutboxStatus.PUBLISHED)))
                .isEmpty();
        assertThat(change(store, MessageOperation.DISCARD, OutboxFilter.all().withStatus(OutboxStatus.PUBLISHED)))
                .isEmpty();
        assertThat(change(store, MessageOperation.DISCARD, OutboxFilter.all())).hasSize(3);
    }

    @Test
    void noMoreThanTheLimitAreChangedAndTheOldestFirst() {
        store.capture().write(numbered(0, 5, 5));

        assertThat(change(store, MessageOperation.DISCARD, OutboxFilter.all(), OutboxPageRequest.of(2)))
                .hasSize(2);

        assertThat(database.statuses()).containsExactly("DISCARDED", "DISCARDED", "PENDING", "PENDING", "PENDING");
    }

    @Test
    void extentIsCountedUpToACapAndNamesTheLastMessage() {
        store.capture().write(numbered(0, 5, 5));
        publishAll();
        store.capture().write(numbered(10, 3, 3));
        long last = database.sequence("4");

        assertThat(store.finder()
                        .countCandidates(MessageOperation.REPLAY, OutboxFilter.all(), OutboxPageRequest.of(100), 100))
                .isEqualTo(new MessageFinder.CandidateCount(5, last));
        assertThat(store.finder()
                        .countCandidates(MessageOperation.REPLAY, OutboxFilter.all(), OutboxPageRequest.of(100), 2))
                .isEqualTo(new MessageFinder.CandidateCount(2, last));
        assertThat(store.finder()
                        .countCandidates(MessageOperation.RETRY, OutboxFilter.all(), OutboxPageRequest.of(100), 100))
                .isEqualTo(new MessageFinder.CandidateCount(0, 0));
    }

    /**
     * A message that was replayed and published again matches the filter once more. The next batch must not include
     * this message.
     */
    @Test
    void batchesOfAReplayReachEachMessageOnce() {
        store.capture().write(numbered(0, 5, 5));
        publishAll();
        long end = database.sequence("4") + 1;
        Long after = null;
        int changed = 0;
        for (List<Long> batch = batch(after, end); !batch.isEmpty(); batch = batch(after, end)) {
            Long last = batch.get(batch.size() - 1);
            changed += change(
                            store,
                            MessageOperation.REPLAY,
                            OutboxFilter.all(),
                            OutboxPageRequest.of(100).withAfter(after).withBefore(last + 1))
                    .size();
            store.settlements().settleSent(sent(batch));
            after = last;
        }

        assertThat(changed).isEqualTo(5);
    }

    private List<Long> batch(Long after, long end) {
        return store.finder()
                .candidates(
                        MessageOperation.REPLAY,
                        OutboxFilter.all(),
                        OutboxPageRequest.of(2).withAfter(after).withBefore(end));
    }

    /** The query first searches a key range behind the last batch, and then all waiting messages. */
    @Test
    void batchesOfWhatWaitsAreTheLowestWhereverTheyBegin() {
        store.capture().write(numbered(0, 5, 5));
        long first = database.sequence("0");

        for (long after : List.of(first - 1, first - 1 - 2L * MessageFinder.ROWS)) {
            OutboxPageRequest nine = OutboxPageRequest.of(9).withAfter(after);
            assertThat(discardable(OutboxPageRequest.of(2).withAfter(after))).containsExactly("0", "1");
            assertThat(discardable(nine)).containsExactly("0", "1", "2", "3", "4");
            assertThat(discardable(nine.withBefore(first + 1))).containsExactly("0");
        }
        assertThat(discardable(OutboxPageRequest.of(2).withAfter(first))).containsExactly("1", "2");
    }

    private List<String> discardable(OutboxPageRequest request) {
        return store.finder().candidates(MessageOperation.DISCARD, OutboxFilter.all(), request).stream()
                .map(found -> database.query("SELECT payload FROM shop_message WHERE seq = ?", found)
                        .get(0))
                .toList();
    }

    @Test
    void twoOperatorsWhoPressAtOnceChangeEachMessageOnce() throws Exception {
        for (int queueOrder = 0; queueOrder < 20; queueOrder++) {
            store.capture().write(numbered(queueOrder * 10, 10, 10));
            assertThat(
                            together(() -> changedInATransaction(MessageOperation.DISCARD, OutboxPageRequest.of(1000)))
                                    .stream()
                                    .mapToInt(Integer::intValue)
                                    .sum())
                    .isEqualTo(10);
        }
    }

    @Test
    void messageInDoubtIsPassedOver() throws Exception {
        failed("a");
        failed("b");

        database.whileInDoubt(
                "UPDATE shop_queue SET attempts = 9 WHERE seq = " + database.sequence("a"),
                () -> assertThat(change(store, MessageOperation.RETRY, OutboxFilter.all()))
                        .hasSize(1));

        assertThat(database.statuses()).containsExactly("FAILED", "PENDING");
    }

    @Test
    void messagesAreFoundByTimeErrorAndPage() {
        store.capture().write(numbered(0, 5, 5));
        failed("100% wrong");
        Instant now = store.status().backlog().readAt();

        assertThat(find(OutboxFilter.all().withError("refused: 100% wrong"))).containsExactly("100% wrong");
        assertThat(find(OutboxFilter.all().withError("1_0%"))).isEmpty();
        assertThat(find(OutboxFilter.all().withCreated(now.minusSeconds(60), now.plusSeconds(60))))
                .hasSize(6);
        assertThat(find(OutboxFilter.all().withCreated(now.plusSeconds(60), null)))
                .isEmpty();
        assertThat(find(OutboxFilter.all().withCreated(null, now.minusSeconds(60))))
                .isEmpty();
        assertThat(texts(store.finder()
                        .find(OutboxFilter.all(), OutboxPageRequest.of(100).withBefore(database.sequence("2")))))
                .containsExactly("1", "0");
    }

    @Test
    void pausedDestinationIsNotClaimedAndTheOthersAre() {
        store.capture().write(List.of(message("a", "one"), message("OrderPlaced", "a", "two", "audit")));

        assertThat(operations.pause(DESTINATION, true, "ada")).isTrue();
        assertThat(operations.pause(DESTINATION, true, "bob")).isFalse();

        assertThat(claimed()).isEmpty();
        assertThat(claimed("audit")).containsExactly("two");
        assertThat(store.status().backlog().paused()).containsExactly(DESTINATION);
        assertThat(database.query("SELECT changed_by FROM shop_control WHERE paused = 1"))
                .containsExactly("ada");

        assertThat(operations.pause(DESTINATION, false, "ada")).isTrue();
        assertThat(claimed()).containsExactly("one");
        assertThat(store.status().backlog().paused()).isEmpty();
    }

    @Test
    void allDestinationsArePausedAtOnceAndForEveryNode() {
        store.capture().write(List.of(message("a", "one"), message("OrderPlaced", "a", "two", "audit")));
        JdbcOutboxStore otherNode = database.open(4);

        otherNode.operations().pause(OutboxOperations.ALL, true, "ada");

        assertThat(claimed()).isEmpty();
        assertThat(claimed("audit")).isEmpty();
        assertThat(store.operations().pause("nowhere", true, "ada")).isNull();
    }

    @Test
    void anotherApplicationIsNotPaused() {
        JdbcOutboxStore other = database.open(SchemaMode.CREATE, "other", 4);
        other.capture().write(keyed("theirs"));

        operations.pause(OutboxOperations.ALL, true, "ada");

        try (Claim claim = claim(other, ALL)) {
            assertThat(texts(claim.messages())).containsExactly("theirs");
        }
    }

    @Test
    void auditSaysWhoDidWhat() {
        operations.audit().insert("ada", "outbox-admin", "retry", "x".repeat(3000), 7, List.of());

        assertThat(database.query("SELECT done_by FROM shop_audit WHERE action = 'retry' AND changed = 7"))
                .containsExactly("ada");
        operations.audit().insert("bob", null, "pause", "audit", 1, List.of());
        assertThat(operations.audit().last(10, null))
                .extracting(
                        OutboxAuditEntry::who,
                        OutboxAuditEntry::role,
                        OutboxAuditEntry::action,
                        OutboxAuditEntry::changed)
                .containsExactly(tuple("bob", null, "pause", 1), tuple("ada", "outbox-admin", "retry", 7));
        assertThat(operations.audit().last(1, null)).hasSize(1);
        assertThat(operations.audit().last(1, null).get(0).at())
                .isCloseTo(store.status().backlog().readAt(), within(1, ChronoUnit.MINUTES));
    }

    @Test
    void historyOfAMessageIsWhatWasDoneToItAndToNoOther() {
        store.capture().write(numbered(0, 3, 3));
        List<Long> two = List.of(database.sequence("0"), database.sequence("1"));
        operations.audit().insert("ada", null, "discard", "{}", 2, two);
        operations.audit().insert("bob", null, "replay", "{}", 1, two.subList(1, 2));

        assertThat(operations.audit().lastOfMessage(id("0"), 10))
                .extracting(OutboxAuditEntry::who)
                .containsExactly("ada");
        assertThat(operations.audit().lastOfMessage(id("1"), 10))
                .extracting(OutboxAuditEntry::who, OutboxAuditEntry::action, OutboxAuditEntry::changed)
                .containsExactly(tuple("bob", "replay", 1), tuple("ada", "discard", 2));
        assertThat(operations.audit().lastOfMessage(id("1"), 1))
                .extracting(OutboxAuditEntry::who)
                .containsExactly("bob");
        assertThat(operations.audit().lastOfMessage(id("2"), 10)).isEmpty();
        assertThat(database.open(SchemaMode.CREATE, "other", 4)
                        .operations()
                        .audit()
                        .lastOfMessage(id("1"), 10))
                .isEmpty();
    }

    @Test
    void thousandsOfMessagesAreAuditedInOneOperation() {
        store.capture().write(numbered(0, 1200, 1200));
        List<Long> all = database.query("SELECT seq FROM shop_message").stream()
                .map(Long::valueOf)
                .toList();

        operations.audit().insert("ada", null, "discard", "{}", 1200, all);

        assertThat(database.query("SELECT COUNT(*) FROM shop_audit_message")).containsExactly("1200");
    }

    private String id(String text) {
        return database.query("SELECT message_id FROM shop_message WHERE seq = " + database.sequence(text))
                .get(0);
    }

    private int changedInATransaction(MessageOperation change, OutboxPageRequest request) throws SQLException {
        Sql sql = new Sql(TestDatabase.PREFIX, database.kind().dialect());
        try (TransactionSource transaction = new TransactionSource(database.dataSource())) {
            transaction.begin();
            Connections connections = new Connections(transaction.dataSource());
            List<Long> found = new MessageFinder(connections, "shop", sql, MessageFinder.ROWS)
                    .candidates(change, OutboxFilter.all(), request);
            int changed = new OperatorStore(
                            connections,
                            TestDatabase.config(SchemaMode.NONE, "shop", 1),
                            sql,
                            new BlockedKeyTable(sql),
                            new DeliveryTable(sql, 30),
                            null,
                            ReadWatermark.NONE)
                    .change(change, found)
                    .size();
            transaction.commit();
            return changed;
        }
    }

    private static List<Integer> together(Callable<Integer> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            return threads.invokeAll(Collections.nCopies(2, work)).stream()
                    .map(OperationsTest::get)
                    .toList();
        } finally {
            threads.shutdown();
        }
    }

    private static Integer get(Future<Integer> result) {
        try {
            return result.get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void abandoned(String text, boolean block) {
        settled(text, OutboxStatus.ABANDONED, block);
    }

    private void failed(String text) {
        settled(text, OutboxStatus.FAILED, true);
    }

    private void settled(String text, OutboxStatus status, boolean holdsKey) {
        store.capture().write(keyed(text));
        settled(text, status, holdsKey, 1);
    }

    private void settled(String text, OutboxStatus status, boolean holdsKey, int attempts) {
        Duration delay = status == OutboxStatus.FAILED ? Duration.ofHours(1) : null;
        store.settlements()
                .settleUnsent(unsent(List.of(
                        new Retry(database.sequence(text), status, attempts, delay, "refused: " + text, holdsKey))));
    }

    private void publishAll() {
        store.settlements()
                .settleSent(sent(database.query("SELECT seq FROM shop_message").stream()
                        .map(Long::valueOf)
                        .toList()));
    }

    private List<String> find(OutboxFilter filter) {
        return texts(store.finder().find(filter, OutboxPageRequest.of(100)));
    }

    private List<String> claimed() {
        return claimed(DESTINATION);
    }

    private List<String> claimed(String destination) {
        try (Claim claim = TestMessages.claim(
                store, store.claims().rowLocks(destination), 0, ALL, store.pendingRows()::lockable)) {
            return texts(claim.messages());
        }
    }
}
