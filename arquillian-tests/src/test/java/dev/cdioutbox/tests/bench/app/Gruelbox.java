package dev.cdioutbox.tests.bench.app;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.naming.NamingException;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;

/**
 * The outbox of gruelbox, as its README recommends: local transactions, a pool of threads, and {@code flush} again and
 * again. Its task sends one message.
 */
@ApplicationScoped
public class Gruelbox {
    private static final int THREADS = 8;
    /** The default of gruelbox. */
    private static final int FLUSHED = 4096;
    /** gruelbox refuses a row that is due when it is written. */
    private static final Duration DUE = Duration.ofSeconds(1);

    private static final int SCHEDULED_TOGETHER = 500;
    private static final int KEYS = 1000;

    private final AtomicLong done = new AtomicLong();

    @Resource(lookup = "java:comp/DefaultDataSource")
    private DataSource dataSource;

    @Resource
    private ManagedThreadFactory threads;

    @Inject
    private Sender sender;

    /** What gruelbox calls for each row. */
    public interface Task {
        void send(String key, String payload);
    }

    /** Stores rows that are due soon until so many wait, and does not start their tasks. */
    Load.Done fill(long wanted) {
        TransactionManager transactions = TransactionManager.fromDataSource(dataSource);
        TransactionOutbox outbox = outbox(transactions)
                .attemptFrequency(DUE)
                .submitter((entry, task) -> {})
                .build();
        long begun = System.nanoTime();
        long stored = 0;
        for (long waiting = waiting(transactions); waiting + stored < wanted; stored += SCHEDULED_TOGETHER) {
            long first = stored;
            transactions.inTransaction(() -> {
                for (long i = first; i < first + SCHEDULED_TOGETHER; i++) {
                    String key = "backlog-" + i % KEYS;
                    outbox.schedule(Task.class).send(key, BenchEvent.text(i, key));
                }
            });
        }
        return new Load.Done(stored, System.nanoTime() - begun);
    }

    /** What was done in the time, and in all: the pool ends what it has begun. */
    public record Drained(long count, long nanos, long sent, long deleted) {}

    Drained drain(Duration time) {
        TransactionManager transactions = TransactionManager.fromDataSource(dataSource);
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(THREADS, THREADS, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), threads);
        try {
            TransactionOutbox outbox =
                    outbox(transactions).submitter(Submitter.withExecutor(pool)).build();
            long waiting = waiting(transactions);
            long before = done.get();
            long begun = System.nanoTime();
            long deadline = begun + time.toNanos();
            while (System.nanoTime() < deadline) {
                if (pool.getQueue().size() < FLUSHED) {
                    outbox.flush();
                } else {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                }
            }
            long nanos = System.nanoTime() - begun;
            long count = done.get() - before;
            // The next block has the machine to itself.
            while (pool.getActiveCount() > 0 || !pool.getQueue().isEmpty()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            return new Drained(count, nanos, done.get() - before, waiting - waiting(transactions));
        } finally {
            pool.shutdownNow();
        }
    }

    private TransactionOutbox.TransactionOutboxBuilder outbox(TransactionManager transactions) {
        return TransactionOutbox.builder()
                .transactionManager(transactions)
                .instantiator(Instantiator.using(type -> (Task) this::send))
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .flushBatchSize(FLUSHED);
    }

    private void send(String key, String payload) {
        try {
            sender.send(List.of(new Ordered(key, payload)));
        } catch (JMSException | NamingException e) {
            throw new IllegalStateException(e);
        }
        done.incrementAndGet();
    }

    private static long waiting(TransactionManager transactions) {
        return transactions.inTransactionReturns(transaction -> {
            try (Statement statement = transaction.connection().createStatement();
                    ResultSet count = statement.executeQuery("SELECT count(*) FROM txno_outbox")) {
                count.next();
                return count.getLong(1);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
