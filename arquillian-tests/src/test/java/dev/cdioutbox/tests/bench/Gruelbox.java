package dev.cdioutbox.tests.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/**
 * The outbox of gruelbox in this JVM, as its README recommends: a pool of connections, a pool of threads, and
 * {@code flush} again and again. Its task sends nothing, which spares it the broker.
 */
final class Gruelbox implements AutoCloseable {
    private static final int THREADS = 8;
    /** The default of gruelbox. */
    private static final int FLUSHED = 4096;

    /** gruelbox refuses a row that is due when it is written. */
    private static final Duration DUE = Duration.ofSeconds(1);

    private static final int SCHEDULED_TOGETHER = 500;
    private static final String PAYLOAD = "x".repeat(1024);
    private final AtomicLong done = new AtomicLong();
    private final HikariDataSource dataSource;
    private final TransactionManager transactions;
    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(THREADS, THREADS, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());

    /** What gruelbox calls for each row. */
    interface Task {
        void send(String key, String payload);
    }

    Gruelbox(int port) {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl("jdbc:postgresql://localhost:" + port + "/postgres");
        pool.setUsername("postgres");
        pool.setMaximumPoolSize(THREADS + 2);
        dataSource = new HikariDataSource(pool);
        transactions = TransactionManager.fromDataSource(dataSource);
        // Creates the tables.
        outbox().build();
    }

    /** Stores rows that are due soon until so many wait, and does not start their tasks. */
    void fill(long wanted) {
        TransactionOutbox outbox =
                outbox().attemptFrequency(DUE).submitter((entry, task) -> {}).build();
        for (long stored = waiting(); stored < wanted; stored += SCHEDULED_TOGETHER) {
            transactions.inTransaction(() -> {
                for (int i = 0; i < SCHEDULED_TOGETHER; i++) {
                    outbox.schedule(Task.class).send("key-" + i, PAYLOAD);
                }
            });
        }
    }

    /** @return rows per second */
    double drain(Duration time) {
        TransactionOutbox outbox =
                outbox().submitter(Submitter.withExecutor(threads)).build();
        long waiting = waiting();
        long before = done.get();
        long begun = System.nanoTime();
        long deadline = begun + time.toNanos();
        while (System.nanoTime() < deadline) {
            if (threads.getQueue().size() < FLUSHED) {
                outbox.flush();
            } else {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        }
        double rate = (done.get() - before) * 1e9 / (System.nanoTime() - begun);
        // The next block has the machine to itself.
        while (threads.getActiveCount() > 0 || !threads.getQueue().isEmpty()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        assertThat(done.get() - before).as("tasks").isEqualTo(waiting - waiting());
        return rate;
    }

    private long waiting() {
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

    private TransactionOutbox.TransactionOutboxBuilder outbox() {
        return TransactionOutbox.builder()
                .transactionManager(transactions)
                .instantiator(Instantiator.using(type -> (Task) (key, payload) -> done.incrementAndGet()))
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .flushBatchSize(FLUSHED);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        dataSource.close();
    }
}
