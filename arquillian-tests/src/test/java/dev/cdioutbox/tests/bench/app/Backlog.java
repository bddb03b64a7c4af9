package dev.cdioutbox.tests.bench.app;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

import dev.cdioutbox.operate.OutboxOperations;
import org.eclipse.microprofile.metrics.Counter;
import org.eclipse.microprofile.metrics.MetricID;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;
import org.eclipse.microprofile.metrics.annotation.RegistryScope;

/** Fills backlogs, and drains them in several ways. */
@ApplicationScoped
public class Backlog {
    private static final int WAKE_UPS = 100;
    private static final String DESTINATION = "default";
    private static final int KEYS = 1000;
    /** The default of {@code outbox.dispatcher.batch-size}. */
    private static final int BATCH = 500;
    /** Far below the time of a batch, and too seldom to cost anything. */
    private static final long LOOK_NANOS = 1_000_000;
    /** The dispatcher has nothing left, or is broken. */
    private static final Duration SILENCE = Duration.ofSeconds(30);

    @Resource(lookup = "java:comp/DefaultDataSource")
    private DataSource dataSource;

    @Inject
    private Event<BenchEvent> events;

    @Inject
    private OutboxOperations operations;

    @Inject
    private Sender sender;

    @Inject
    private Load load;

    @Inject
    private Transactions transactions;

    @Inject
    @RegistryScope(scope = MetricRegistry.APPLICATION_SCOPE)
    private MetricRegistry metrics;

    /** Fires events in transactions of a batch each; one thread, so that the order of the keys is known. */
    Load.Done fire(long count) throws Exception {
        long begun = System.nanoTime();
        for (long first = 0; first < count; first += BATCH) {
            List<Ordered> batch = numbers(first);
            transactions.run(() -> batch.forEach(events::fire));
        }
        return new Load.Done(count, System.nanoTime() - begun);
    }

    /** Sends batches without the outbox. */
    Load.Done send(Duration time) throws Exception {
        return load.repeat(time, 1, () -> {
            transactions.run(() -> sender.send(numbers(0)));
            return BATCH;
        });
    }

    private static List<Ordered> numbers(long first) {
        return LongStream.range(first, first + BATCH)
                .mapToObj(number -> {
                    String key = "backlog-" + number % KEYS;
                    return new Ordered(key, BenchEvent.text(number, key));
                })
                .toList();
    }

    void pause() {
        operations.pause(DESTINATION);
    }

    /** Resumes the dispatcher, and wakes it up with events in nearly all partitions. */
    void resume() throws Exception {
        operations.resume(DESTINATION);
        transactions.run(() -> {
            for (int wakeUp = 0; wakeUp < WAKE_UPS; wakeUp++) {
                String key = "wake-up-" + wakeUp;
                events.fire(new Ordered(key, BenchEvent.text(0, key)));
            }
        });
    }

    /** Lets the outbox drain its backlog. The time begins and ends with the commit of a batch. */
    Load.Done drain(Duration time) throws Exception {
        long before = published();
        resume();
        try {
            long first = await(count -> count > before);
            long begun = System.nanoTime();
            long deadline = begun + time.toNanos();
            long late = await(count -> System.nanoTime() > deadline);
            long last = await(count -> count > late);
            return new Load.Done(last - first, System.nanoTime() - begun);
        } finally {
            pause();
        }
    }

    /**
     * Lets the outbox drain so many messages that wait, and leaves it running. The time begins with the commit of the
     * first batch.
     */
    Load.Done drainAll(long waiting) throws Exception {
        long before = published();
        resume();
        long first = await(count -> count > before);
        long begun = System.nanoTime();
        long last = awaitPublished(before + waiting + WAKE_UPS);
        return new Load.Done(last - first, System.nanoTime() - begun);
    }

    /** Waits until this process has published so many messages since its start, and returns their number. */
    long awaitPublished(long wanted) {
        return await(count -> count >= wanted);
    }

    /** A load, and how long it took until the outbox had published its last message. */
    public record Published(long count, long nanos, long publishedNanos) {}

    /** Runs a load of transactions with one event each, with the dispatcher beside it. */
    Published publishing(Callable<Load.Done> work) throws Exception {
        long before = published();
        long begun = System.nanoTime();
        Load.Done done = work.call();
        awaitPublished(before + done.count());
        return new Published(done.count(), done.nanos(), System.nanoTime() - begun);
    }

    private long await(LongPredicate reached) {
        long silent = System.nanoTime() + SILENCE.toNanos();
        long latest = published();
        while (!reached.test(latest)) {
            LockSupport.parkNanos(LOOK_NANOS);
            long now = published();
            if (now > latest) {
                silent = System.nanoTime() + SILENCE.toNanos();
            } else if (System.nanoTime() > silent) {
                throw new IllegalStateException("nothing was published for " + SILENCE);
            }
            latest = now;
        }
        return latest;
    }

    /** Returns how many messages this process has published; the counter is raised after the commit. */
    long published() {
        Counter counter =
                metrics.getCounter(new MetricID("outbox_published_total", new Tag("destination", DESTINATION)));
        return counter == null ? 0 : counter.getCount();
    }

    /**
     * Drains the hand-written table row by row and never sleeps. It reads a page of rows at a time.
     *
     * @param together whether a row is deleted and sent in one transaction; else the broker commits first
     */
    Load.Done poll(Duration time, boolean together) throws Exception {
        Queue<Row> page = new ArrayDeque<>();
        return load.repeat(time, 1, () -> {
            if (page.isEmpty()) {
                page.addAll(read());
            }
            Row row = page.poll();
            if (row == null) {
                return 0;
            }
            List<Ordered> event = List.of(new Ordered(row.key(), row.payload()));
            if (together) {
                transactions.run(() -> {
                    delete(row);
                    sender.send(event);
                });
            } else {
                sender.send(event);
                delete(row);
            }
            return 1;
        });
    }

    private record Row(long id, String key, String payload) {}

    private List<Row> read() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement query = connection.prepareStatement(
                        "SELECT id, message_key, payload FROM by_hand ORDER BY id LIMIT " + BATCH);
                ResultSet found = query.executeQuery()) {
            List<Row> rows = new ArrayList<>();
            while (found.next()) {
                rows.add(new Row(found.getLong(1), found.getString(2), found.getString(3)));
            }
            return rows;
        }
    }

    private void delete(Row row) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement delete = connection.prepareStatement("DELETE FROM by_hand WHERE id = ?")) {
            delete.setLong(1, row.id());
            if (delete.executeUpdate() != 1) {
                throw new IllegalStateException("row " + row.id() + " was gone");
            }
        }
    }
}
