package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.TestPool;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards a long run of two writers and four dispatchers on one PostgreSQL, for {@code outbox.long.minutes}, with sends
 * and commits that fail now and then, and with two keys that stay blocked. A quiet time of
 * {@code outbox.long.quiet.minutes} follows. Each message is delivered once and in the order of its key, no deadlock
 * occurs, the tables do not grow beyond their retention, and in the end no settled message, no connection and no memory
 * is kept. {@code mvn verify -Plong}
 */
@Tag("long")
@Tag("database")
class LoadTest {
    private static final Duration LENGTH = Duration.ofMinutes(Integer.getInteger("outbox.long.minutes", 20));
    /** At least two minutes: only each sixtieth scan of a purge finds what was delivered late. */
    private static final Duration QUIET = Duration.ofMinutes(Integer.getInteger("outbox.long.quiet.minutes", 5));

    private static final Duration REPORT = LENGTH.dividedBy(40);
    private static final int WRITERS = 2;
    private static final int NODES = 4;
    private static final int KEYS = 500;
    private static final String PADDING = " ".repeat(300);
    private static final int MOST_WAITING = 20_000;

    /** Two for each thread, which may suspend a transaction, one for the reader, and one for this count. */
    private static final int MOST_CONNECTIONS = 2 * (WRITERS + 2 * NODES) + 2;

    /** A key of each writer, whose messages are refused until the writers have ended. */
    private static final String BLOCKED = "-0";

    /** The parts of the run after which the reader with a snapshot begins, and ends. */
    private static final double BEGIN = 1.0 / 6;

    private static final double END = 5.0 / 6;

    @AutoClose
    private final TestDatabase database = new TestDatabase(Database.POSTGRESQL);

    @AutoClose
    private final TestPool pool = new TestPool(database.dataSource());

    private final FakeBroker broker = new FakeBroker();
    private final FakeTransactions transactions = new FakeTransactions(pool.dataSource(), broker);
    /** The transactions of the writers, without a broker. */
    private final FakeTransactions business = new FakeTransactions(pool.dataSource(), new FakeBroker());

    private final OutboxConfig config = DispatchScene.config(
            "outbox.retention.published",
            "PT20S",
            "outbox.retry.base-delay",
            "PT0.05S",
            "outbox.retry.max-delay",
            "PT2S",
            "outbox.retry.max-attempts",
            "1000000");

    /** Collects failures that no caller gets, such as those of a purge or of a periodic query. */
    @AutoClose
    private final LogLines logged = new LogLines("dev.cdioutbox");

    private final LoadRecord record = new LoadRecord(database);
    private final AtomicInteger refused = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean writing = true;
    private volatile boolean quiet;
    private volatile boolean running = true;

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void nothingIsLostDoubledOrDeadlockedAndTheTablesStaySmall() throws Exception {
        work(since -> {});

        assertThat(logged.all()).as("looks that failed").noneMatch(line -> line.startsWith("OBX-0315"));
        assertThat(record.growth())
                .as("tables at their largest, second half to first")
                .isLessThan(1.5);
    }

    /**
     * While a reader holds one snapshot, PostgreSQL cannot remove settled messages from the index. Claims must not read
     * them; periodic queries may time out.
     */
    @Test
    void longSnapshotBlocksNoNode() throws Exception {
        try (Connection reader = database.dataSource().getConnection()) {
            work(since -> read(reader, since));
        }

        assertThat(record.rate(0.5, END))
                .as("messages a second while the reader has read for long, to those before")
                .isGreaterThan(record.rate(0, BEGIN) / 2);
    }

    /** Reads for two thirds of the run. */
    private void read(Connection reader, Duration since) throws SQLException {
        double part = (double) since.toNanos() / LENGTH.toNanos();
        boolean reads = !reader.getAutoCommit();
        if (part > BEGIN && part < END && !reads) {
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            reader.setAutoCommit(false);
            try (Statement select = reader.createStatement()) {
                select.execute("SELECT COUNT(*) FROM shop_message WHERE seq < 0");
            }
            System.out.println("the reader begins");
        } else if (part > END && reads) {
            reader.commit();
            reader.setAutoCommit(true);
            System.out.println("the reader ends");
        }
    }

    private void work(Meanwhile meanwhile) throws Exception {
        broker.onSend = message -> {
            boolean blocked = writing && message.event().key().endsWith(BLOCKED);
            if (blocked || ThreadLocalRandom.current().nextInt(5000) == 0) {
                refused.incrementAndGet();
                throw FakeBroker.failure(Blame.UNKNOWN);
            }
        };
        List<Future<?>> all = new ArrayList<>();
        JdbcOutboxStore writers = open(business);
        for (int writer = 0; writer < WRITERS; writer++) {
            int number = writer;
            all.add(threads.submit(() -> write(writers, number)));
        }
        for (int node = 0; node < NODES; node++) {
            Dispatcher dispatcher = new Dispatcher(
                    open(transactions),
                    Map.of("jms", broker),
                    new ThisNode(
                            "node-" + node,
                            "shop",
                            "host",
                            "server",
                            ProcessHandle.current().pid(),
                            "1.0"),
                    () -> config,
                    new Environment(transactions, () -> !running));
            dispatcher.addListener(record);
            dispatcher.writeHeartbeat();
            all.add(threads.submit(() -> dispatch(dispatcher)));
            all.add(threads.submit(() -> purge(dispatcher)));
        }

        long start = System.nanoTime();
        while (System.nanoTime() - start < LENGTH.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(200);
            record.check(broker.taken());
            all.stream().filter(Future::isDone).forEach(LoadTest::result);
            Duration since = Duration.ofNanos(System.nanoTime() - start);
            meanwhile.at(since);
            if (since.compareTo(REPORT.multipliedBy(record.samples() + 1)) > 0) {
                broker.sends.clear();
                record.note(since);
                transactions.failingCommits.incrementAndGet();
            }
        }
        writing = false;
        while (record.waiting() > 0
                && System.nanoTime() - start < LENGTH.multipliedBy(2).toNanos()) {
            TimeUnit.SECONDS.sleep(1);
        }
        quiet = true;
        TimeUnit.NANOSECONDS.sleep(QUIET.toNanos());
        record.check(broker.taken());
        broker.sends.clear();
        record.noteQuiet(Duration.ofNanos(System.nanoTime() - start));
        running = false;
        threads.shutdown();
        all.forEach(LoadTest::result);
        record.print(NODES, refused.get(), transactions.failedCommits.get());
        assertThat(record.wrong()).as("lost, doubled or out of order").isEmpty();
        assertThat(database.query("SELECT COUNT(*) FROM shop_message"))
                .as("messages kept after the quiet time")
                .containsExactly("0");
        assertThat(record.connections()).as("connections").isLessThanOrEqualTo(MOST_CONNECTIONS);
        assertThat(record.heapGrowth())
                .as("heap after the quiet time, to the first one under load")
                .isLessThan(1.5);
        assertThat(logged.all()).as("purges that failed").noneMatch(line -> line.startsWith("OBX-0413"));
        assertThat(database.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
                .containsExactly("0");
    }

    private JdbcOutboxStore open(FakeTransactions theirs) {
        return JdbcOutboxStore.open(
                theirs.dataSource(), config.store(), config.destinations().keySet());
    }

    /**
     * Each writer has keys of its own, as if it held the row locks of their aggregates. The texts of a key are
     * consecutive numbers.
     */
    private Void write(JdbcOutboxStore store, int writer) throws Exception {
        int[] numbers = new int[KEYS];
        ThreadLocalRandom random = ThreadLocalRandom.current();
        while (writing) {
            int first = random.nextInt(KEYS);
            int count = 1 + random.nextInt(20);
            List<NewMessage> messages = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int key = (first + i) % KEYS;
                messages.add(TestMessages.message(writer + "-" + key, numbers[key] + 1 + PADDING));
            }
            if (write(store, messages, random.nextInt(20) == 0)) {
                for (int i = 0; i < count; i++) {
                    int key = (first + i) % KEYS;
                    record.written(writer + "-" + key, ++numbers[key], key == 0);
                }
            }
            while (writing && record.backlog() > MOST_WAITING) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
        return null;
    }

    private boolean write(JdbcOutboxStore store, List<NewMessage> messages, boolean inVain) throws Exception {
        try {
            business.inNew(() -> {
                store.capture().write(messages);
                if (inVain) {
                    throw new InVain();
                }
                return null;
            });
            return true;
        } catch (InVain rolledBack) {
            return false;
        }
    }

    private Void dispatch(Dispatcher dispatcher) throws Exception {
        DestinationWorker worker = DispatchScene.workerOf(dispatcher);
        while (running) {
            Throwable failure = worker.poll();
            if (failure != null && !String.valueOf(failure.getCause()).contains("the commit failed")) {
                throw new IllegalStateException(failure);
            }
            TimeUnit.MILLISECONDS.sleep(quiet ? 1000 : 20);
        }
        return null;
    }

    /**
     * Purges each second, sixty times as often as a server, and reads the backlog every ten seconds, as a server does.
     */
    private Void purge(Dispatcher dispatcher) throws Exception {
        AtomicInteger backlogs = new AtomicInteger();
        dispatcher.addListener(new DispatchListener() {
            @Override
            public void backlog(String outbox, OutboxBacklog backlog) {
                backlogs.incrementAndGet();
            }
        });
        for (int second = 0; running; second++) {
            while (dispatcher.purge()) {
                // Each call removes a part.
            }
            if (second % 10 == 0) {
                dispatcher.writeHeartbeat();
                dispatcher.refreshBacklog();
                assertThat(backlogs).as("backlogs that could be read").hasValue(1 + second / 10);
            }
            TimeUnit.SECONDS.sleep(1);
        }
        return null;
    }

    private static void result(Future<?> thread) {
        try {
            thread.get(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private interface Meanwhile {
        void at(Duration since) throws SQLException;
    }

    private static final class InVain extends Exception {
        private static final long serialVersionUID = 1L;
    }
}
