package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import com.sun.management.ThreadMXBean;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.EachDatabase;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * The gates for the memory that an event costs, JDBC driver and the test's own pool and transactions included. No load of the
 * machine moves these figures; the compiler does, by a tenth or two, so they are bounds.
 */
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@EachDatabase(Database.POSTGRESQL)
class AllocatedBytesTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Of a message, in characters of one byte. */
    private static final int PAYLOAD = 1024;

    private static final int KEYS = 1000;

    /** Messages: each of the 16 partitions of a claim has its part of a batch of 500. */
    private static final int BACKLOG = 2500;

    private static final int ROUNDS = 4;

    /** Of each round but that of a batch. */
    private static final int TIMES = 50;

    /** The gates, in bytes for each event. */
    private enum Row {
        ONE_CAPTURED("event captured alone", 12_500),
        TEN_CAPTURED("event captured with nine others in one transaction", 4_000),
        ONE_DELIVERED("event delivered alone", 65_000),
        BATCH_DELIVERED("event delivered in a batch of 500", 7_500);

        private final String what;
        private final long most;

        Row(String what, long most) {
            this.what = what;
            this.most = most;
        }
    }

    private final TestPool pool;
    private final DispatchScene scene;

    AllocatedBytesTest(Database kind) {
        TestDatabase database = new TestDatabase(kind);
        pool = new TestPool(database.dataSource());
        scene = new DispatchScene(database, pool.dataSource(), System::nanoTime);
        scene.dispatcher.writeHeartbeat();
        scene.dispatcher.checkNodes();
    }

    @AfterEach
    void close() throws SQLException {
        pool.close();
        scene.close();
    }

    @Test
    void eventCapturedAlone() throws Exception {
        assertAllocated(Row.ONE_CAPTURED, () -> captured(1));
    }

    @Test
    void tenEventsOfATransaction() throws Exception {
        assertAllocated(Row.TEN_CAPTURED, () -> captured(10));
    }

    @Test
    void eventDeliveredAlone() throws Exception {
        assertAllocated(Row.ONE_DELIVERED, () -> {
            long bytes = 0;
            for (int time = 0; time < TIMES; time++) {
                capture(events(1));
                bytes += delivered();
            }
            return bytes / TIMES;
        });
    }

    @Test
    void eventDeliveredInABatch() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            capture(events(BACKLOG));
        }
        scene.stopWhen(() -> !scene.broker.delivered.isEmpty());

        assertAllocated(Row.BATCH_DELIVERED, this::delivered);
    }

    private long captured(int events) throws Exception {
        long bytes = 0;
        for (int time = 0; time < TIMES; time++) {
            List<NewMessage> transaction = events(events);
            long before = allocated();
            capture(transaction);
            bytes += allocated() - before;
        }
        return bytes / TIMES / events;
    }

    /** For each event that a run delivers. */
    private long delivered() {
        scene.broker.delivered.clear();
        long before = allocated();
        assertThat(scene.run()).isNull();
        return (allocated() - before) / scene.broker.delivered.size();
    }

    private void capture(List<NewMessage> events) throws Exception {
        scene.transactions.inNew(() -> {
            scene.store.capture().write(events);
            return null;
        });
    }

    private static List<NewMessage> events(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> message("key-" + number % KEYS, "x".repeat(PAYLOAD)))
                .toList();
    }

    /** By this thread. */
    private static long allocated() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    private static void assertAllocated(Row row, Round round) throws Exception {
        List<Long> bytes = new ArrayList<>();
        for (int time = 0; time < ROUNDS; time++) {
            bytes.add(round.run());
        }
        assertThat(Collections.min(bytes))
                .as(
                        "bytes allocated for an %s, in each round: %s. If they are more than AllocatedBytesTest.Row.%s, avoid"
                                + " that, or raise it and say why in the commit.",
                        row.what, bytes, row)
                .isLessThanOrEqualTo(row.most);
    }

    private interface Round {
        /** Returns the bytes for each event. */
        long run() throws Exception;
    }
}
