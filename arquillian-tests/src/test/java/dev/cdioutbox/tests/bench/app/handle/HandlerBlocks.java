package dev.cdioutbox.tests.bench.app.handle;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.Transaction;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.gruelbox.transactionoutbox.TransactionOutboxEntry;
import com.gruelbox.transactionoutbox.TransactionOutboxListener;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.tests.bench.app.BenchEvent;
import dev.cdioutbox.tests.bench.app.Load;
import dev.cdioutbox.tests.bench.app.Transactions;
import org.eclipse.microprofile.metrics.Counter;
import org.eclipse.microprofile.metrics.MetricID;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;
import org.eclipse.microprofile.metrics.annotation.RegistryScope;

/** Handles events after the commit in several ways. */
@ApplicationScoped
public class HandlerBlocks {
    private static final int ACCOUNTS = 1000;
    private static final int FILLED_TOGETHER = 500;
    private static final int POOL = 8;
    private static final Duration QUIET = Duration.ofMillis(500);
    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final String LOCKED =
            "SELECT id, message_key, payload FROM by_hand ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED";

    private final AtomicLong number = new AtomicLong();

    @Resource(lookup = "java:comp/DefaultDataSource")
    private DataSource dataSource;

    @Resource
    private ManagedThreadFactory threads;

    @Inject
    private Event<Handled> events;

    @Inject
    private HandledWork work;

    @Inject
    private OutboxOperations operations;

    @Inject
    private Load load;

    @Inject
    private Transactions transactions;

    @Inject
    @RegistryScope(scope = MetricRegistry.APPLICATION_SCOPE)
    private MetricRegistry metrics;

    /** What gruelbox calls for each row. */
    public interface Task {
        void handle(String account, String text);
    }

    /** A load, and how long it took until all of its events were handled. */
    public record Completed(long count, long nanos, long handledNanos) {}

    void pause() {
        operations.pause(HandledWork.HANDLER);
    }

    void resume() {
        operations.resume(HandledWork.HANDLER);
    }

    /** Stores events, one thread. */
    void fill(long count) throws Exception {
        for (long stored = 0; stored < count; stored += FILLED_TOGETHER) {
            transactions.run(() -> {
                for (int i = 0; i < FILLED_TOGETHER; i++) {
                    events.fire(event());
                }
            });
        }
    }

    private Handled event() {
        long next = number.incrementAndGet();
        String account = "account-" + next % ACCOUNTS;
        return new Handled(account, BenchEvent.text(next, account));
    }

    /** Lets the outbox handle what waits, from the first message on. It is paused before and after. */
    Load.Done drain(Duration time) throws Exception {
        long before = handled();
        resume();
        fill(FILLED_TOGETHER);
        try {
            awaitMore(this::handled, before + 1);
            long first = handled();
            long begun = System.nanoTime();
            LockSupport.parkNanos(time.toNanos());
            return new Load.Done(handled() - first, System.nanoTime() - begun);
        } finally {
            pause();
            awaitQuiet();
        }
    }

    /** A batch that has begun is handled although the handler is paused. */
    private void awaitQuiet() {
        long before = -1;
        for (long now = handled(); now > before; now = handled()) {
            before = now;
            LockSupport.parkNanos(QUIET.toNanos());
        }
    }

    /** Raised after the commit. */
    private long handled() {
        Counter counter =
                metrics.getCounter(new MetricID("outbox_published_total", new Tag("destination", HandledWork.HANDLER)));
        return counter == null ? 0 : counter.getCount();
    }

    private static void awaitMore(LongSupplier count, long wanted) {
        long silent = System.nanoTime() + SILENCE.toNanos();
        long latest = -1;
        for (long now = count.getAsLong(); now < wanted; now = count.getAsLong()) {
            if (now > latest) {
                silent = System.nanoTime() + SILENCE.toNanos();
            } else if (System.nanoTime() > silent) {
                throw new IllegalStateException("only %d of %d were handled".formatted(now, wanted));
            }
            latest = now;
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** The loop that people write: it locks a row, calls the bean, deletes the row. */
    Load.Done loop(Duration time, int count) throws Exception {
        return load.repeat(time, count, () -> {
            AtomicLong done = new AtomicLong();
            transactions.run(() -> done.set(handleNextRow()));
            return done.get();
        });
    }

    private long handleNextRow() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement query = connection.createStatement();
                ResultSet row = query.executeQuery(LOCKED)) {
            if (!row.next()) {
                return 0;
            }
            work.handle(new Handled(row.getString(2), row.getString(3)));
            try (PreparedStatement delete = connection.prepareStatement("DELETE FROM by_hand WHERE id = ?")) {
                delete.setLong(1, row.getLong(1));
                return delete.executeUpdate();
            }
        }
    }

    /** Business transactions with an event each, with the dispatcher beside them. */
    Completed outbox(Duration time, int count) throws Exception {
        long before = handled();
        long begun = System.nanoTime();
        Load.Done done = load.repeat(time, count, () -> {
            transactions.run(() -> {
                try (Connection connection = dataSource.getConnection()) {
                    business(connection);
                }
                events.fire(event());
            });
            return 1;
        });
        awaitMore(this::handled, before + done.count());
        return new Completed(done.count(), done.nanos(), System.nanoTime() - begun);
    }

    /** The same with gruelbox, as its README recommends: its task runs in a pool, right after the commit. */
    Completed gruelbox(Duration time, int count) throws Exception {
        ThreadLocalContextTransactionManager manager = TransactionManager.fromDataSource(dataSource);
        ThreadPoolExecutor pool = pool();
        AtomicLong handled = new AtomicLong();
        try {
            TransactionOutbox outbox = TransactionOutbox.builder()
                    .transactionManager(manager)
                    .instantiator(Instantiator.using(type -> (Task) (account, text) ->
                            manager.requireTransaction(transaction -> work(transaction, new Handled(account, text)))))
                    .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                    .submitter(Submitter.withExecutor(pool))
                    .listener(new TransactionOutboxListener() {
                        @Override
                        public void success(TransactionOutboxEntry entry) {
                            handled.incrementAndGet();
                        }
                    })
                    .build();
            long begun = System.nanoTime();
            Load.Done done = load.repeat(time, count, () -> {
                manager.inTransactionThrows(transaction -> {
                    business(transaction.connection());
                    Handled event = event();
                    outbox.schedule(Task.class).handle(event.account(), event.text());
                });
                return 1;
            });
            awaitMore(handled::get, done.count());
            return new Completed(done.count(), done.nanos(), System.nanoTime() - begun);
        } finally {
            pool.shutdownNow();
        }
    }

    /**
     * The least that a durable handler needs with JTA: a row for the event, a wake-up at the commit, and one transaction for the work
     * and the row. It has no order, no retry and no second node. So its speed is the limit that JTA sets.
     */
    Completed byHand(Duration time, int count) throws Exception {
        ThreadPoolExecutor pool = pool();
        AtomicLong handled = new AtomicLong();
        try {
            long begun = System.nanoTime();
            Load.Done done = load.repeat(time, count, () -> {
                AtomicLong id = new AtomicLong();
                transactions.run(() -> {
                    try (Connection connection = dataSource.getConnection()) {
                        business(connection);
                        id.set(insert(connection, event()));
                    }
                });
                pool.execute(() -> {
                    handleRow(id.get());
                    handled.incrementAndGet();
                });
                return 1;
            });
            awaitMore(handled::get, done.count());
            return new Completed(done.count(), done.nanos(), System.nanoTime() - begun);
        } finally {
            pool.shutdownNow();
        }
    }

    private static long insert(Connection connection, Handled event) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO by_hand (message_key, payload) VALUES (?, ?) RETURNING id")) {
            insert.setString(1, event.account());
            insert.setString(2, event.text());
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** A failure leaves the row, and the block waits for it in vain. */
    private void handleRow(long id) {
        try {
            transactions.run(() -> {
                try (Connection connection = dataSource.getConnection();
                        PreparedStatement delete = connection.prepareStatement(
                                "DELETE FROM by_hand WHERE id = ? RETURNING message_key, payload")) {
                    delete.setLong(1, id);
                    try (ResultSet row = delete.executeQuery()) {
                        row.next();
                        work.handle(new Handled(row.getString(1), row.getString(2)));
                    }
                }
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private ThreadPoolExecutor pool() {
        return new ThreadPoolExecutor(POOL, POOL, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), threads);
    }

    private static void work(Transaction transaction, Handled event) {
        try {
            HandledWork.work(transaction.connection(), event);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void business(Connection connection) throws SQLException {
        int account = ThreadLocalRandom.current().nextInt(ACCOUNTS);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO purchase (account, item) VALUES (?, 'Tea')")) {
            insert.setInt(1, account);
            insert.executeUpdate();
        }
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE account SET purchases = purchases + 1 WHERE id = ?")) {
            update.setInt(1, account);
            update.executeUpdate();
        }
    }
}
