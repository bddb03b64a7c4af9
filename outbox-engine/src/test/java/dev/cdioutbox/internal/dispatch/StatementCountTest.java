package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.store.CountedSource;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.EachDatabase;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.SentStatements;
import dev.cdioutbox.internal.store.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * The gates of speed: how much goes to the database, counted. No noise of a machine moves a count, so a test compares it
 * for equality. A change that adds a statement fails; a change that removes one fails too, until {@link Row} is lowered.
 *
 * <p>The configuration is the default one, with two destinations. Tests move the clock of the read watermarks.
 * {@code MessageInboxTest} has the gates of {@code Inbox.accept}.
 */
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@EachDatabase({Database.H2, Database.POSTGRESQL})
class StatementCountTest {
    /** The periods of the timers. {@code DispatchersTest} compares them with those of {@code OutboxTimer}. */
    private static final Duration STATUS_PERIOD = Duration.ofSeconds(10);

    private static final Duration PURGE_PERIOD = Duration.ofMinutes(1);

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Of a message, in characters of one byte. */
    private static final int PAYLOAD = 1024;

    /** Messages, so that each partition has more than its part of a full batch. */
    private static final int BACKLOG = 2500;

    private static final int KEYS = 1000;

    /** Messages: a claim takes 16 partitions by default, and the 16th part of 500 messages from each. */
    private static final int BATCH_SIZE = 496;

    /**
     * The gates: on H2, then on PostgreSQL. With XA, each settlement has one round trip more, for the prepare.
     *
     * <ul>
     *   <li>A business transaction inserts into both tables, on PostgreSQL with one statement. The commit is its own.
     *   <li>A batch locks 16 partitions, reads 31 messages of each, and settles, on PostgreSQL with one statement each. On
     *       H2, a claim lists the partitions, locks each of them, reads, and probes the locks; a settlement locks, copies
     *       and deletes.
     *   <li>A single event costs the statements of a batch with one partition, on a node that is alone.
     *   <li>An idle minute has six calls of the timers for tables and backlog, one of the purge, and twelve polls of both
     *       workers, which share a look. On PostgreSQL, the backlog also queries the read watermark.
     * </ul>
     */
    private enum Row {
        ONE_EVENT("business transaction with one event", new Cost(2, 1, 3, 1), new Cost(1, 1, 2, 1)),
        TEN_EVENTS("business transaction with ten events", new Cost(2, 1, 3, 1), new Cost(1, 1, 2, 2)),
        SINGLE_EVENT("run for a single event on an idle node", new Cost(7, 1, 10, 4), new Cost(3, 1, 5, 4)),
        BATCH("batch of 496 messages in a backlog", new Cost(22, 1, 25, 27), new Cost(3, 1, 11, 7)),
        IDLE_MINUTE("idle minute with two destinations", new Cost(43, 2, 57, 54), new Cost(52, 2, 66, 70));

        private final String what;
        private final Cost h2;
        private final Cost postgresql;

        Row(String what, Cost h2, Cost postgresql) {
            this.what = what;
            this.h2 = h2;
            this.postgresql = postgresql;
        }

        Cost on(Database kind) {
            return kind == Database.H2 ? h2 : postgresql;
        }
    }

    /**
     * What is sent to the database.
     *
     * @param roundTrips statements, commits and rollbacks; on PostgreSQL with the fetches behind a query
     * @param kibibytes of SQL text that the driver gets, rounded up, so that not every word of a statement counts
     */
    private record Cost(int statements, int commits, int roundTrips, int kibibytes) {
        static Cost of(SentStatements sent) {
            int kibibytes = (sent.characters() + 1023) / 1024;
            return new Cost(sent.statements(), sent.commits(), sent.roundTrips(), kibibytes);
        }
    }

    private final Database kind;
    private final TestDatabase database;
    private final CountedSource connections;
    private final DispatchScene scene;
    private final AtomicLong nanos = new AtomicLong();

    StatementCountTest(Database kind) {
        this.kind = kind;
        database = new TestDatabase(kind);
        if (kind == Database.POSTGRESQL) {
            database.commitToDisk();
        }
        connections = new CountedSource(database);
        scene = new DispatchScene(
                database, connections.dataSource(), nanos::get, "outbox.destinations.audit.jndi", "jms/audit");
    }

    /** The node is alone, connections are open, destinations are probed, and PostgreSQL's read watermarks have risen. */
    @BeforeEach
    void warmUp() throws Exception {
        scene.dispatcher.writeHeartbeat();
        scene.dispatcher.checkNodes();
        capture(event(0));
        for (int observations = 0; observations < 5; observations++) {
            nanos.addAndGet(MINUTE.toNanos());
            refreshStatus();
            poll();
        }
        assertThat(database.statuses()).containsExactly("PUBLISHED");
    }

    @AfterEach
    void close() throws SQLException {
        connections.close();
        scene.close();
    }

    @Test
    void businessTransactionWithOneEvent() throws Exception {
        assertCost(Row.ONE_EVENT, sent(() -> capture(event(1))));
    }

    @Test
    void businessTransactionWithTenEvents() throws Exception {
        assertCost(Row.TEN_EVENTS, sent(() -> capture(events(10))));
    }

    @Test
    void singleEventFromItsCommitToTheEndOfTheRun() throws Exception {
        capture(event(1));
        nanos.addAndGet(STATUS_PERIOD.toNanos());

        SentStatements sent = wake(event(1));

        assertThat(database.statuses()).containsExactly("PUBLISHED", "PUBLISHED");
        assertCost(Row.SINGLE_EVENT, sent);
    }

    @Test
    void batchOfABacklog() throws Exception {
        capture(events(BACKLOG));
        int before = scene.broker.delivered.size();
        scene.stopWhen(() -> scene.broker.delivered.size() > before);

        SentStatements sent = wake(events(BACKLOG));

        assertThat(scene.broker.delivered).hasSize(before + BATCH_SIZE);
        assertCost(Row.BATCH, sent);
    }

    @Test
    void idleMinute() throws Exception {
        SentStatements status = sent(() -> {
            for (Duration passed = Duration.ZERO; passed.compareTo(MINUTE) < 0; passed = passed.plus(STATUS_PERIOD)) {
                refreshStatus();
            }
            scene.dispatcher.checkNodes();
        });
        poll();
        SentStatements polls = poll();
        SentStatements purge = sent(() -> scene.dispatcher.purge());

        long polled = MINUTE.dividedBy(TestConfig.of().dispatcher().interval());
        SentStatements minute = status.and(polls.times(polled)).and(purge.times(MINUTE.dividedBy(PURGE_PERIOD)));

        assertCost(
                Row.IDLE_MINUTE,
                minute,
                "the status refreshes:%n%s%neach poll of all destinations:%n%s%neach purge:%n%s"
                        .formatted(status, polls, purge));
    }

    /** A text that was put together for one transaction is a new object. */
    @Test
    void textsOfAnEarlierTransactionAreUsedAgain() throws Exception {
        Set<String> known = Collections.newSetFromMap(new IdentityHashMap<>());
        known.addAll(captureAndDeliver());

        assertThat(captureAndDeliver()).allSatisfy(text -> assertThat(known.contains(text))
                .as("a text built anew: %s", text)
                .isTrue());
    }

    /** One message, ten in one transaction, and a full batch. */
    private List<String> captureAndDeliver() throws Exception {
        SentStatements sent = new SentStatements(List.of());
        for (int number : List.of(1, 10, BATCH_SIZE)) {
            sent = sent.and(sent(() -> capture(events(number)))).and(run(scene.worker));
        }
        return sent.calls().stream().map(SentStatements.Call::text).toList();
    }

    private void refreshStatus() {
        nanos.addAndGet(STATUS_PERIOD.toNanos());
        scene.dispatcher.checkTables();
        scene.dispatcher.writeHeartbeat();
        scene.dispatcher.refreshBacklog();
    }

    private SentStatements poll() throws Exception {
        nanos.addAndGet(TestConfig.of().dispatcher().interval().toNanos());
        SentStatements sent = new SentStatements(List.of());
        for (DestinationWorker worker : scene.dispatcher.workers().values()) {
            sent = sent.and(run(worker));
        }
        return sent;
    }

    /** What a commit of these messages causes. */
    private SentStatements wake(NewMessage... committed) throws Exception {
        scene.dispatcher.useThreads(Runnable::run);
        return sent(() -> scene.dispatcher.wake(List.of(committed)));
    }

    private SentStatements run(DestinationWorker worker) throws Exception {
        return sent(() -> assertThat(worker.poll()).isNull());
    }

    private SentStatements sent(Work work) throws Exception {
        connections.takeSent();
        work.run();
        return connections.takeSent();
    }

    private void capture(NewMessage... messages) throws Exception {
        scene.transactions.inNew(() -> {
            scene.store.capture().write(List.of(messages));
            return null;
        });
    }

    private static NewMessage[] events(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(StatementCountTest::event)
                .toArray(NewMessage[]::new);
    }

    private static NewMessage event(int number) {
        String text = String.valueOf(number);
        return message("key-" + number % KEYS, text + ".".repeat(PAYLOAD - text.length()));
    }

    private void assertCost(Row row, SentStatements sent) {
        assertCost(row, sent, sent.toString());
    }

    private void assertCost(Row row, SentStatements sent, String text) {
        assertThat(Cost.of(sent))
                .as(
                        "%s on %s has another cost than its gate. If it costs more, avoid that, or raise the gate and say why"
                                + " in the commit. If it costs less, lower the gate, so that it stays so. The gate is"
                                + " StatementCountTest.Row.%s. Sent:%n%s%n",
                        row.what, kind, row, text)
                .isEqualTo(row.on(kind));
    }

    private interface Work {
        void run() throws Exception;
    }
}
