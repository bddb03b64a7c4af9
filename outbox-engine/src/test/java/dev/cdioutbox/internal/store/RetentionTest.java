package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.aggregate;
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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.purge.MessagePurge;
import dev.cdioutbox.internal.store.purge.PurgeResult;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that a purge removes each settled message when its retention ends, and no message before. */
class RetentionTest extends StoreContract {
    private static final ClaimLimits ALL = limits(4, 100, 1_000_000);
    private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");
    private static final List<String> TIMES_OF_MESSAGE =
            List.of("created_at", "expires_at", "occurred_at", "not_before");

    private final JdbcOutboxStore store = database.open(4);

    RetentionTest(Database kind) {
        super(kind);
    }

    /** A purge takes all rows of a message, or none. */
    @AfterEach
    void eachMessageIsInOnePlace() {
        assertThat(database.misplaced()).isEmpty();
    }

    @Test
    void onlyWhatIsDoneAndOldEnoughGoes() {
        store.capture().write(keyed("published", "expired", "abandoned", "recent"));
        settle("published", "recent");
        store.settlements()
                .settleUnsent(unsent(List.of(database.sequence("expired")), List.of(), RetentionConfig.DEFAULT));
        retry("abandoned", OutboxStatus.ABANDONED, false);
        makeOld("payload <> 'recent'");

        assertThat(purge(RetentionConfig.DEFAULT)).isEqualTo(3);

        assertThat(payloads()).containsExactly("recent");
    }

    @Test
    void whatWasDoneToAMessageIsForgottenWithItAndThatItWasDoneIsNot() {
        store.capture().write(keyed("old", "recent"));
        store.operations()
                .audit()
                .insert("ada", null, "replay", "{}", 2, List.of(database.sequence("old"), database.sequence("recent")));
        settle("old", "recent");
        makeOld("payload = 'old'");

        assertThat(purge(RetentionConfig.DEFAULT)).isEqualTo(1);

        assertThat(database.query("SELECT seq FROM shop_audit_message"))
                .containsExactly(String.valueOf(database.sequence("recent")));
        assertThat(database.query("SELECT done_by FROM shop_audit")).containsExactly("ada");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingIsKeptOfWhatWasDoneToAMessageThatGoesAtOnce(boolean archives) {
        store.capture().write(keyed("published", "expired", "pending"));
        List<Long> all = Stream.of("published", "expired", "pending")
                .map(database::sequence)
                .toList();
        store.operations().audit().insert("ada", null, "retry", "{}", 3, all);

        store.settlements()
                .settleSent(
                        sent(all.subList(0, 1), new RetentionConfig(Duration.ZERO, Duration.ZERO, archives, false)));
        store.settlements()
                .settleUnsent(unsent(
                        all.subList(1, 2),
                        List.of(),
                        new RetentionConfig(Duration.ZERO, Duration.ZERO, archives, false)));

        assertThat(database.query("SELECT seq FROM shop_audit_message"))
                .containsExactly(all.get(2).toString());
    }

    /** If the delete locked index gaps, the operator's insert of an audit row would wait. */
    @Test
    void whoDeletesWhatIsPublishedHoldsUpNoOperator() throws SQLException {
        store.capture().write(keyed("published", "other"));
        try (TransactionSource settling = new TransactionSource(database.dataSource())) {
            settling.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            within(settling)
                    .settlements()
                    .settleSent(sent(
                            List.of(database.sequence("published")),
                            new RetentionConfig(Duration.ZERO, Duration.ZERO, false, false)));

            store.operations().audit().insert("ada", null, "retry", "{}", 1, List.of(database.sequence("other")));

            settling.commit();
        }
        assertThat(database.query("SELECT seq FROM shop_audit_message")).hasSize(1);
    }

    /** A wrong clock may have written this row. A purge that ended there would keep all later rows. */
    @Test
    void rowFromTheFutureDoesNotEndAPurge() {
        store.capture().write(keyed("future", "old"));
        settle("future", "old");
        makeOld("payload = 'old'");
        database.setTime("message", "created_at", Instant.now().plus(Duration.ofDays(365)), "payload = 'future'");

        assertThat(purge(RetentionConfig.DEFAULT)).isEqualTo(1);

        assertThat(payloads()).containsExactly("future");
    }

    /** Neither the age of a message nor a setting removes an undelivered message. */
    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT1H"})
    void undeliveredMessageStays(String retention) {
        store.capture()
                .write(List.of(
                        message("p", "pending"),
                        message("f", "failed"),
                        message("b", "blocks"),
                        message("b", "blocked"),
                        terms(
                                message("d", "delayed"),
                                new NewMessage.Terms(Instant.now().plusSeconds(9999), null, null)),
                        terms(message("e", "overdue"), new NewMessage.Terms(null, Duration.ofMillis(1), null))));
        retry("failed", OutboxStatus.FAILED, true);
        retry("blocks", OutboxStatus.ABANDONED, true);
        makeOld("1 = 1");

        assertThat(purge(deleted(Duration.parse(retention)))).isZero();
        assertThat(purge(archived(Duration.parse(retention)))).isZero();

        assertThat(payloads()).containsExactly("pending", "failed", "blocks", "blocked", "delayed", "overdue");
    }

    @Test
    void abandonedMessageStaysAsLongAsItsOwnTimeSays() {
        store.capture().write(keyed("abandoned", "published"));
        settle("published");
        retry("abandoned", OutboxStatus.ABANDONED, false);
        makeOld("1 = 1");
        database.setTime("queue", "last_attempt_at", Instant.now().minus(Duration.ofDays(20)), "1 = 1");

        assertThat(purge(RetentionConfig.DEFAULT)).isEqualTo(1);
        assertThat(payloads()).containsExactly("abandoned");
        assertThat(purge(new RetentionConfig(Duration.ofHours(1), Duration.ofDays(19), false, false)))
                .isEqualTo(1);
    }

    /** The transaction of an operator, or of a settlement in doubt, may hold links for long. */
    @Test
    void purgeDoesNotWaitForTheAuditOfAnotherMessage() throws SQLException {
        store.capture().write(numbered(0, 20, 7));
        database.settle(OutboxStatus.PUBLISHED, "1 = 1");
        database.update("INSERT INTO shop_audit_message (seq, audit_id) SELECT m.seq, 1 FROM shop_message m");
        long held = database.sequence("19");
        makeOld("seq <> " + held);

        database.whileInDoubt(
                "UPDATE shop_audit_message SET audit_id = 2 WHERE seq = " + held,
                () -> assertThat(purge(RetentionConfig.DEFAULT)).isEqualTo(19));
    }

    /**
     * The retention counts from the settle. After an outage, the time to live may have ended longer ago than the
     * retention lasts.
     */
    @Test
    void expiredMessageStaysForAsLongAsAnyOtherFromThenOn() {
        store.capture().write(keyed("expired"));
        database.setTime("message", "created_at", LONG_AGO, "1 = 1");
        database.setTime("message", "expires_at", LONG_AGO, "1 = 1");
        store.settlements()
                .settleUnsent(unsent(List.of(database.sequence("expired")), List.of(), RetentionConfig.DEFAULT));

        assertThat(purge(RetentionConfig.DEFAULT)).isZero();

        database.setTime("delivery", "settled_at", LONG_AGO, "1 = 1");
        assertThat(purge(RetentionConfig.DEFAULT)).isEqualTo(1);
    }

    @Test
    void messagesOfAnotherApplicationStay() {
        JdbcOutboxStore other = database.open(SchemaMode.CREATE, "other", 4);
        store.capture().write(keyed("mine"));
        other.capture().write(keyed("theirs"));
        settle("mine");
        other.settlements().settleSent(sent(List.of(database.sequence("theirs"))));
        makeOld("1 = 1");

        assertThat(purge(deleted(Duration.ZERO))).isEqualTo(1);

        assertThat(payloads()).containsExactly("theirs");
    }

    @Test
    void batchIsBoundedAndTheNextGoesOnBehindIt() {
        store.capture().write(numbered(0, MessagePurge.ROWS + 10, 7));
        database.settle(OutboxStatus.PUBLISHED, "1 = 1");
        makeOld("1 = 1");

        PurgeResult first = store.purge().removeNext(RetentionConfig.DEFAULT, 0);
        assertThat(first.removed()).isEqualTo(MessagePurge.ROWS);
        assertThat(first.isEnd()).isFalse();
        PurgeResult second = store.purge().removeNext(RetentionConfig.DEFAULT, first.last());
        assertThat(second.removed()).isEqualTo(10);
        assertThat(second.isEnd()).isTrue();
        assertThat(store.purge().removeNext(RetentionConfig.DEFAULT, second.last()))
                .isEqualTo(new PurgeResult(0, second.last(), true));
    }

    @Test
    void scanStopsWhereMessagesAreTooYoung() {
        store.capture().write(numbered(0, 20, 3));
        database.settle(OutboxStatus.PUBLISHED, "1 = 1");
        makeOld("seq <= 10");
        database.setTime("delivery", "settled_at", LONG_AGO, "seq > 10");

        assertThat(store.purge().removeNext(RetentionConfig.DEFAULT, 0)).isEqualTo(new PurgeResult(10, 10, true));
        assertThat(payloads()).hasSize(10);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void zeroMeansGoneWithTheSettling(boolean archives) {
        store.capture().write(keyed("a", "b", "c"));
        RetentionConfig none = new RetentionConfig(Duration.ZERO, Duration.ZERO, archives, false);

        store.settlements().settleSent(sent(List.of(database.sequence("a")), none));
        store.settlements().settleUnsent(unsent(List.of(database.sequence("b")), List.of(), none));

        assertThat(payloads()).containsExactly("c");
        assertThat(database.query("SELECT CONCAT(payload, status) FROM shop_archive ORDER BY seq"))
                .isEqualTo(archives ? List.of("aPUBLISHED", "bEXPIRED") : List.of());
        long c = database.sequence("c");
        assertThatThrownBy(() -> store.settlements().settleSent(sent(List.of(c, c + 1), none)))
                .as("the number still has to be right")
                .hasMessageStartingWith("OBX-0305");
        // Without a transaction, what the settlement has done until then stays.
        database.deleteMessages();
    }

    @Test
    void zeroTakesNoRowThatIsSettledAlready() {
        store.capture().write(keyed("a"));
        long sequence = database.sequence("a");
        retry("a", OutboxStatus.ABANDONED, false);

        assertThatThrownBy(() -> store.settlements()
                        .settleSent(sent(
                                List.of(sequence), new RetentionConfig(Duration.ZERO, Duration.ZERO, false, false))))
                .hasMessageStartingWith("OBX-0305");
        assertThat(payloads()).containsExactly("a");
    }

    @Test
    void archivedMessageIsTheSameInAnotherTable() {
        store.capture()
                .write(keyed("a", "A", "a ").stream()
                        .map(message -> aggregate(message, "order-1"))
                        .toList());
        settle("a", "A", "a ");
        makeOld("1 = 1");
        List<String> before = database.query("SELECT " + archived()
                + " FROM (SELECT v.*, m.payload_bytes, m.partition_id FROM shop_message_view v"
                + " JOIN shop_message m ON m.seq = v.seq) r ORDER BY seq");

        assertThat(purge(archived(Duration.ofHours(1)))).isEqualTo(3);

        assertThat(payloads()).isEmpty();
        assertThat(database.query("SELECT " + archived() + " FROM shop_archive ORDER BY seq"))
                .isEqualTo(before)
                .hasSize(3);
        assertThat(database.query("SELECT 1 FROM shop_archive WHERE archived_at IS NOT NULL"))
                .hasSize(3);
    }

    @Test
    void payloadIsErasedAsItIsSettled() {
        store.capture().write(keyed("published", "expired", "failed", "pending"));
        RetentionConfig erase = new RetentionConfig(Duration.ofHours(1), Duration.ofHours(1), false, true);

        store.settlements().settleSent(sent(List.of(database.sequence("published")), erase));
        store.settlements()
                .settleUnsent(unsent(
                        List.of(database.sequence("expired")),
                        List.of(new Retry(
                                database.sequence("failed"), OutboxStatus.FAILED, 1, Duration.ofHours(1), "no", true)),
                        erase));

        assertThat(payloads()).containsExactly(null, null, "failed", "pending");
        OutboxMessage found = store.finder()
                .find(OutboxFilter.all().withKey("published"), OutboxPageRequest.of(100))
                .get(0);
        assertThat(found.body().payload().isErased()).isTrue();
        assertThat(found.body().text()).isEmpty();
        assertThat(found.body().bytes()).as("what it had").isEqualTo("published".length());
    }

    @Test
    void processThatWasNotHeardOfForLongIsForgotten() throws SQLException {
        for (String node : List.of("alive", "dead", "held")) {
            store.nodes().writeHeartbeat(new ThisNode(node, "shop", "host", "server", 1, "1.0"), 0);
        }
        database.setTime("node", "last_tick_at", Instant.now().minus(Duration.ofDays(8)), "node_id <> 'alive'");
        try (Connection other = database.dataSource().getConnection()) {
            other.setAutoCommit(false);
            Database.execute(other, "UPDATE shop_node SET process = 2 WHERE node_id = 'held'");

            store.purge().removeNext(RetentionConfig.DEFAULT, 0);
            other.rollback();
        }

        assertThat(database.query("SELECT node_id FROM shop_node ORDER BY node_id"))
                .containsExactly("alive", "held");
    }

    @Test
    @Timeout(180)
    void lockedRowIsLeftForTheNextPurge() throws SQLException {
        store.capture().write(keyed("a", "b"));
        settle("a", "b");
        makeOld("1 = 1");
        try (Connection operator = database.dataSource().getConnection();
                Statement update = operator.createStatement()) {
            operator.setAutoCommit(false);
            update.execute("UPDATE shop_delivery SET attempts = 9 WHERE seq = " + database.sequence("a"));

            assertThat(purge(RetentionConfig.DEFAULT)).isEqualTo(1);

            operator.rollback();
        }
        assertThat(payloads()).containsExactly("a");
        assertThat(purge(RetentionConfig.DEFAULT)).isEqualTo(1);
    }

    /** Concurrent purges and dispatchers cause no deadlock, no lost message and no second send. */
    @Test
    void purgesAndDispatchersAtOnce() throws Exception {
        int rounds = 30;
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(5);
        try {
            Callable<List<String>> purging = () -> {
                while (!done.get()) {
                    purge(archived(Duration.ofMillis(1)));
                }
                return List.of();
            };
            Callable<List<String>> dispatcher = () -> {
                List<String> sent = new ArrayList<>();
                try (TransactionSource settling = new TransactionSource(database.dataSource())) {
                    JdbcOutboxStore node = within(settling);
                    while (!done.get()) {
                        sent.addAll(dispatch(node, settling));
                    }
                } finally {
                    // Without this, the other threads would run for ever after a failure of this one.
                    done.set(true);
                }
                return sent;
            };
            Callable<List<String>> writer = () -> {
                try {
                    for (int queueOrder = 0; queueOrder < rounds; queueOrder++) {
                        store.capture().write(numbered(queueOrder * 50, 50, 11));
                    }
                    while (!done.get()
                            && !database.query("SELECT seq FROM shop_queue").isEmpty()) {
                        Thread.onSpinWait();
                    }
                } finally {
                    done.set(true);
                }
                return List.of();
            };
            List<String> sent = new ArrayList<>();
            for (Future<List<String>> result :
                    threads.invokeAll(List.of(purging, purging, dispatcher, dispatcher, writer))) {
                sent.addAll(result.get());
            }
            assertThat(sent).hasSize(rounds * 50).doesNotHaveDuplicates();
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
        purge(archived(Duration.ofSeconds(-1)));
        assertThat(payloads()).isEmpty();
        assertThat(database.query("SELECT payload FROM shop_archive WHERE status = 'PUBLISHED'"))
                .hasSize(rounds * 50);
    }

    /** A node that settles in a transaction. */
    private static JdbcOutboxStore within(TransactionSource transaction) throws SQLException {
        JdbcOutboxStore node = JdbcOutboxStore.open(
                transaction.dataSource(), TestDatabase.config(SchemaMode.NONE, "shop", 4), Set.of(DESTINATION));
        transaction.begin();
        return node;
    }

    private List<String> dispatch(JdbcOutboxStore node, TransactionSource settling) throws SQLException {
        try (Claim claim = claim(store, ALL)) {
            List<Long> sequences =
                    claim.messages().stream().map(OutboxMessage::sequence).toList();
            node.settlements().settleSent(sent(sequences));
            settling.commit();
            return texts(claim.messages());
        }
    }

    private int purge(RetentionConfig retention) {
        int removed = 0;
        PurgeResult purged = new PurgeResult(0, 0, false);
        while (!purged.isEnd()) {
            purged = store.purge().removeNext(retention, purged.last());
            removed += purged.removed();
        }
        return removed;
    }

    private static RetentionConfig deleted(Duration time) {
        return new RetentionConfig(time, time, false, false);
    }

    private static RetentionConfig archived(Duration time) {
        return new RetentionConfig(time, time, true, false);
    }

    private void settle(String... texts) {
        for (String text : texts) {
            store.settlements().settleSent(sent(List.of(database.sequence(text))));
        }
    }

    private void retry(String text, OutboxStatus status, boolean holdsKey) {
        store.settlements()
                .settleUnsent(unsent(
                        List.of(new Retry(database.sequence(text), status, 1, Duration.ofHours(9), "no", holdsKey))));
    }

    /** Gives the messages that meet a condition, and what became of them, times of long ago. */
    private void makeOld(String where) {
        makeOld(where, LONG_AGO);
    }

    private void makeOld(String where, Instant past) {
        TIMES_OF_MESSAGE.forEach(time -> database.setTime("message", time, past, where));
        String of = TestDatabase.ofMessages(where);
        database.setTime("queue", "available_at", past, of);
        database.setTime("queue", "last_attempt_at", past, of);
        database.setTime("delivery", "settled_at", past, of);
    }

    private List<String> payloads() {
        return database.query("SELECT payload FROM shop_message ORDER BY seq");
    }

    private static String archived() {
        return "CONCAT("
                + String.join(
                        ", '|', ",
                        List.of(
                                "seq",
                                "message_id",
                                "event_type",
                                "message_key",
                                "payload",
                                "payload_bytes",
                                "status",
                                "attempts",
                                "created_at",
                                "published_at",
                                "occurred_at",
                                "partition_id",
                                "destination",
                                "content_type",
                                "aggregate_type",
                                "aggregate_id",
                                "schema_version",
                                "application",
                                "last_attempt_at"))
                + ")";
    }
}
