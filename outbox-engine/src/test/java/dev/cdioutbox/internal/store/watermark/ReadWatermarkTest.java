package dev.cdioutbox.internal.store.watermark;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.TransactionSource;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards that a claim above the read watermark on PostgreSQL misses no message: neither one that commits late, nor one
 * that is requeued below. The clock advances only when a test lets time pass.
 */
@Tag("database")
class ReadWatermarkTest {
    private static final Duration SOON = Duration.ofMillis(100);
    private static final int OTHERS = 6;
    private static final int MANY = 100;
    private static final Duration LATER = Duration.ofSeconds(5);

    @AutoClose
    private final TestDatabase database = new TestDatabase(Database.POSTGRESQL);

    private final AtomicLong nanos = new AtomicLong();
    private final JdbcOutboxStore store = open(database.dataSource());
    private final JdbcOutboxStore otherNode = open(database.dataSource());

    @AutoClose("shutdownNow")
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void commitIsOnDisk() {
        database.commitToDisk();
    }

    @Test
    void lateCommitIsNotSkipped() throws SQLException {
        try (TransactionSource late = new TransactionSource(database.dataSource())) {
            JdbcOutboxStore writer = open(late.dataSource());
            late.begin();
            writer.capture().write(List.of(message("a", "late")));
            settleOthers();

            late.commit();
        }
        store.capture().write(List.of(message("a", "next")));

        assertThat(claimed()).containsExactly("late", "next");
    }

    /** A transaction that has written nothing yet gets its id after its first sequence. */
    @Test
    void insertWithASequenceAndNoTransactionIdYetIsNotSkipped() throws Exception {
        // PostgreSQL logs 32 values of a sequence in advance, and only this needs a transaction id. The first message
        // triggers the log record before the late insert.
        database.update("""
                CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_advisory_lock_shared(7); RETURN NEW; END $$""");
        database.update("""
                CREATE TRIGGER hold BEFORE INSERT ON shop_message FOR EACH ROW WHEN (NEW.message_key = 'late')
                EXECUTE FUNCTION hold()""");
        store.capture().write(keyed("first"));
        settle();
        Future<?> late;
        try (Connection held = database.dataSource().getConnection()) {
            Database.execute(held, "SELECT pg_advisory_lock(7)");
            late = threads.submit(() -> otherNode.capture().write(keyed("late")));
            await().atMost(Duration.ofMinutes(1)).until(() -> !waiting().isEmpty());
            assertThat(waiting()).as("the id of the writer's transaction").containsOnlyNulls();

            settleOthers();
        }
        late.get(1, TimeUnit.MINUTES);
        store.capture().write(keyed("next"));

        assertThat(claimed()).containsExactly("late", "next");
    }

    @Test
    void preparedInsertIsNotSkipped() throws SQLException {
        try (TransactionSource late = new TransactionSource(database.dataSource())) {
            JdbcOutboxStore writer = open(late.dataSource());
            late.begin();
            writer.capture().write(keyed("late"));
            // The observations before the prepare know the writer; those after the prepare must recognize the writer
            // again.
            settleOthers();
            Database.execute(late.connection(), "PREPARE TRANSACTION 'late'");
        }
        settleOthers();
        Database.execute(database.dataSource(), "COMMIT PREPARED 'late'");
        store.capture().write(keyed("next"));

        assertThat(claimed()).containsExactly("late", "next");
    }

    @Test
    void watermarkRisesPastAnInsertThatRolledBack() throws SQLException {
        try (TransactionSource late = new TransactionSource(database.dataSource())) {
            JdbcOutboxStore writer = open(late.dataSource());
            late.begin();
            writer.capture().write(keyed("late"));
            settleOthers();
        }
        settleOthers();

        database.update("INSERT INTO shop_queue (seq, queue_id) SELECT seq, partition_id"
                + " FROM shop_message WHERE seq < (SELECT MAX(seq) FROM shop_message) - 3");
        assertThat(claimed()).isEmpty();
    }

    /**
     * A session that caches values may insert with a low one at any time: the sequence then does not follow the
     * commits.
     */
    @Test
    void insertWithACachedSequenceIsFoundBelowTheWatermark() throws SQLException {
        Database.execute(database.dataSource(), "ALTER SEQUENCE shop_message_seq_seq CACHE 20");
        try (TransactionSource slow = new TransactionSource(database.dataSource())) {
            JdbcOutboxStore keeping = open(slow.dataSource());
            slow.begin();
            keeping.capture().write(keyed("kept"));
            slow.commit();
            settleOthers();
            settleOthers();

            keeping.capture().write(keyed("late"));
            slow.commit();
        }
        assertThat(claimed()).isEmpty();

        pass(LATER);

        assertThat(claimed()).containsExactly("late");
    }

    @Test
    void nothingIsKnownWhenSequencesBeginAgain() throws SQLException {
        settleOthers();
        database.deleteMessages();
        Database.execute(database.dataSource(), "ALTER SEQUENCE shop_message_seq_seq RESTART");
        store.capture().write(keyed("again"));
        pass(SOON);

        assertThat(claimed()).containsExactly("again");
    }

    /** As on a replica that took over without the last transactions. */
    @Test
    void idleNodeFindsMessagesWhoseSequenceBeganAgainWithTheBacklog() throws SQLException {
        settleOthers();
        pass(LATER);
        assertThat(claimed()).isEmpty();
        beginSequenceAgain();

        store.status().backlog();

        assertThat(claimed()).containsExactly("again");
    }

    @Test
    void claimAfterAFailedOneFindsMessagesWhoseSequenceBeganAgain() throws SQLException {
        assertFoundAfterAFailure("WITH claimable", node -> claimed(node));
    }

    @Test
    void claimAfterAFailedLookFindsMessagesWhoseSequenceBeganAgain() throws SQLException {
        assertFoundAfterAFailure("SELECT DISTINCT", node -> node.claims().waitingDestinations());
    }

    private void beginSequenceAgain() throws SQLException {
        database.deleteMessages();
        Database.execute(database.dataSource(), "ALTER SEQUENCE shop_message_seq_seq RESTART");
        store.capture().write(keyed("again"));
        pass(LATER);
    }

    /** @param beginning of the statement that fails once */
    private void assertFoundAfterAFailure(String beginning, Consumer<JdbcOutboxStore> failing) throws SQLException {
        AtomicBoolean fails = new AtomicBoolean();
        JdbcOutboxStore node =
                open(on(beginning, statement -> fails.getAndSet(false) ? "SELECT no_such_column" : statement));
        settleOthers(node);
        pass(LATER);
        assertThat(claimed(node)).isEmpty();
        beginSequenceAgain();

        fails.set(true);
        assertThatThrownBy(() -> failing.accept(node)).hasMessageContaining("OBX-0302");

        assertThat(claimed(node)).containsExactly("again");
    }

    @Test
    void messagesRequeuedByAnotherNodeAreFoundBelowTheWatermark() {
        store.capture().write(keyed("retried", "replayed"));
        store.capture()
                .write(List.of(
                        terms(message("a", "delayed"), new Terms(Instant.now().minusSeconds(60), null, null))));
        abandon("retried");
        settle();
        settleOthers();
        otherNode.delayed().release(DESTINATION);
        change(otherNode, MessageOperation.RETRY, OutboxFilter.all().withKey("retried"));
        change(otherNode, MessageOperation.REPLAY, OutboxFilter.all().withKey("replayed"));
        assertThat(claimed()).isEmpty();

        pass(LATER);

        assertThat(claimed()).containsExactly("retried", "replayed", "delayed");
        assertThat(store.status().backlog().pending()).isEqualTo(3);
        settle();
        assertThat(claimed()).isEmpty();
    }

    /** Otherwise the claims of many nodes would read the settled entries of each other. */
    @Test
    void watermarkRisesInAPartitionThatAnotherNodeHolds() {
        store.capture().write(keyed("settled"));
        settle(otherNode);
        store.capture().write(keyed("held"));
        try (Claim held = claim(otherNode)) {
            assertThat(texts(held.messages())).containsExactly("held");
            for (int i = 0; i < OTHERS; i++) {
                store.capture().write(keyed(String.valueOf(i)));
                pass(SOON);
                assertThat(claimed()).isEmpty();
            }
        }

        change(otherNode, MessageOperation.REPLAY, OutboxFilter.all().withKey("settled"));

        assertThat(claimed()).as("above the watermark").startsWith("held");
        pass(LATER);
        assertThat(claimed()).as("after the periodic scan").startsWith("settled", "held");
    }

    /** The claims of an idle node do not search. The refresh of its backlog does. */
    @Test
    void messageRequeuedByAnotherNodeIsFoundWithTheBacklogOfAnIdleNode() {
        store.capture().write(keyed("replayed"));
        settle();
        settleOthers();
        pass(LATER);
        assertThat(claimed()).isEmpty();
        change(otherNode, MessageOperation.REPLAY, OutboxFilter.all().withKey("replayed"));
        pass(LATER);
        assertThat(claimed()).isEmpty();

        store.status().backlog();

        assertThat(claimed()).containsExactly("replayed");
    }

    @Test
    void messageRequeuedByThisNodeIsFoundAtOnce() {
        store.capture().write(keyed("retried"));
        store.capture()
                .write(List.of(
                        terms(message("a", "delayed"), new Terms(Instant.now().minusSeconds(60), null, null))));
        abandon("retried");
        settleOthers();

        store.delayed().release(DESTINATION);
        assertThat(claimed()).containsExactly("delayed");
        settle();
        pass(LATER);
        assertThat(claimed()).as("an idle node").isEmpty();
        change(store, MessageOperation.RETRY, OutboxFilter.all().withKey("retried"));
        store.operations().changeCommitted();
        assertThat(claimed()).containsExactly("retried");
    }

    /**
     * The claim moves the requeued message to the queue of the blocked key, and sends both messages when the key is
     * due.
     */
    @Test
    void requeuedMessageWaitsForItsBlockedKey() {
        store.capture().write(List.of(message("a", "replayed"), message("a", "fails")));
        try (Claim claim = claim()) {
            assertThat(texts(claim.messages())).containsExactly("replayed", "fails");
            store.settlements().settleSent(sent(List.of(database.sequence("replayed"))));
            store.settlements()
                    .settleUnsent(unsent(List.of(new Retry(
                            database.sequence("fails"), OutboxStatus.FAILED, 1, Duration.ofHours(1), "no", true))));
        }
        settleOthers();
        change(
                store,
                MessageOperation.REPLAY,
                OutboxFilter.all(),
                OutboxPageRequest.ofSequence(database.sequence("replayed")));
        store.operations().changeCommitted();

        assertThat(claimed()).isEmpty();
        assertThat(database.query("SELECT m.payload FROM shop_queue q JOIN shop_message m ON m.seq = q.seq"
                        + " WHERE q.queue_id > " + QueueId.BLOCKED_KEYS + " ORDER BY q.seq"))
                .containsExactly("replayed", "fails");
        database.makeDue();
        assertThat(claimed()).containsExactly("replayed", "fails");
    }

    @Test
    void manyRequeuedMessagesAreReadInOrderAgain() {
        for (int i = 0; i < MANY + 1; i++) {
            store.capture().write(keyed("many-" + i));
        }
        settle();
        settleOthers();
        change(otherNode, MessageOperation.REPLAY, OutboxFilter.all(), OutboxPageRequest.of(2 * MANY));
        pass(LATER);

        assertThat(claimed()).hasSize(MANY + 1 + OTHERS).startsWith("many-0", "many-1");
    }

    @Test
    void claimsWorkWithoutWatermarksWhereTheSequenceMayNotBeRead() {
        String role =
                "outbox_writer_" + database.query("SELECT current_database()").get(0);
        database.update("CREATE ROLE " + role);
        database.update("GRANT ALL ON ALL TABLES IN SCHEMA public TO " + role);
        JdbcOutboxStore limited =
                JdbcOutboxStore.open(as(role), TestDatabase.config(SchemaMode.NONE, "shop", 1), Set.of(DESTINATION));
        limited.capture().write(keyed("a"));
        assertThat(database.query(
                        "SELECT has_sequence_privilege('%s', 'shop_message_seq_seq', 'SELECT')".formatted(role)))
                .containsExactly("f");

        assertThat(claimed(limited)).containsExactly("a");
        try (LogLines logged = new LogLines(PeriodicQuery.class.getName())) {
            assertThat(claimed(limited)).containsExactly("a");
            assertThat(logged.all()).singleElement(STRING).startsWith("OBX-0315: ");
        }
        assertThat(limited.status().backlog().pending()).isEqualTo(1);
    }

    /** Otherwise each claim would fail for as long as the scan below the watermark fails. */
    @Test
    void claimsGoOnWhereTheLookBelowFails() {
        AtomicLong looks = new AtomicLong();
        JdbcOutboxStore node = open(on("SELECT b.queue_id, b.seq", statement -> {
            looks.incrementAndGet();
            return statement.replace("SELECT b.queue_id, b.seq", "SELECT 1 / 0, b.seq");
        }));
        try (LogLines logged = new LogLines(PeriodicQuery.class.getName())) {
            settleOthers(node);
            pass(LATER);
            store.capture().write(keyed("a"));

            assertThat(claimed(node)).containsExactly("a");
            assertThat(claimed(node)).containsExactly("a");
            assertThat(logged.all())
                    .as("once, and not for each look")
                    .singleElement(STRING)
                    .startsWith("OBX-0315: ");
        }
        assertThat(looks).hasValue(1);
        assertThat(node.status().backlog().pending()).isEqualTo(1);
    }

    /** Replaces each statement that has this part. */
    private DataSource on(String part, UnaryOperator<String> what) {
        return proxy(DataSource.class, (source, method, arguments) -> {
            Connection connection = database.dataSource().getConnection();
            return proxy(Connection.class, (self, called, values) -> {
                if (called.getName().equals("prepareStatement")
                        && values[0].toString().contains(part)) {
                    values[0] = what.apply(values[0].toString());
                }
                return called.invoke(connection, values);
            });
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** The messages in doubt are the first requeued ones, and fill the first page. */
    @Test
    void requeuedMessageBehindInDoubtMessagesIsNotDelayed() throws SQLException {
        store.capture().write(keyed("doubt-1", "doubt-2", "other"));
        settle();
        settleOthers();
        change(store, MessageOperation.REPLAY, OutboxFilter.all().withKey("doubt-1"));
        change(store, MessageOperation.REPLAY, OutboxFilter.all().withKey("doubt-2"));
        change(store, MessageOperation.REPLAY, OutboxFilter.all().withKey("other"));
        store.operations().changeCommitted();

        database.whileInDoubt(database.settling(List.of("doubt-1", "doubt-2")), () -> {
            try (Claim claim = TestMessages.claim(store, limits(1, 2, 1_000_000))) {
                assertThat(texts(claim.messages())).containsExactly("other");
            }
        });
    }

    private DataSource as(String role) {
        return proxy(DataSource.class, (source, method, arguments) -> {
            Connection connection = database.dataSource().getConnection();
            Database.execute(connection, "SET ROLE " + role);
            return connection;
        });
    }

    /** Writes some messages, and claims and settles each of them: the read watermark rises as far as possible. */
    private void settleOthers() {
        settleOthers(store);
    }

    private void settleOthers(JdbcOutboxStore dispatching) {
        for (int i = 0; i < OTHERS; i++) {
            store.capture().write(keyed(String.valueOf(i)));
            pass(SOON);
            settle(dispatching);
        }
    }

    private void abandon(String text) {
        try (Claim claim = claim()) {
            assertThat(texts(claim.messages())).contains(text);
            store.settlements()
                    .settleUnsent(unsent(List.of(
                            new Retry(database.sequence(text), OutboxStatus.ABANDONED, 1, null, "never", false))));
        }
    }

    private void settle() {
        settle(store);
    }

    private static void settle(JdbcOutboxStore store) {
        try (Claim claim = claim(store)) {
            TestMessages.publishAll(store, claim);
        }
    }

    private List<String> claimed() {
        return claimed(store);
    }

    private static List<String> claimed(JdbcOutboxStore store) {
        try (Claim claim = claim(store)) {
            return texts(claim.messages());
        }
    }

    private Claim claim() {
        return claim(store);
    }

    private static Claim claim(JdbcOutboxStore store) {
        return TestMessages.claim(store, limits(1, 500, 1_000_000));
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private List<String> waiting() {
        return database.query("SELECT backend_xid FROM pg_stat_activity WHERE wait_event = 'advisory'"
                + " AND datname = current_database()");
    }

    private JdbcOutboxStore open(DataSource source) {
        return JdbcOutboxStore.open(
                source, TestDatabase.config(SchemaMode.CREATE, "shop", 1), Set.of(DESTINATION), nanos::get);
    }
}
