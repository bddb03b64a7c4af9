package dev.cdioutbox.tests.takeover;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.Transaction;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.gruelbox.transactionoutbox.TransactionOutboxEntry;
import dev.cdioutbox.tests.rollout.Sold;

/** The library transaction-outbox, with the columns that its newer versions add for their topics. */
final class Gruelbox {
    /** The library refuses a row that is due when it is written. */
    private static final Duration DUE = Duration.ofMillis(200);

    private final ThreadLocalContextTransactionManager transactions;
    private final TransactionOutbox outbox;
    private boolean isWorking;

    /** What the application schedules. */
    public interface Calls {
        void sold(String basket, int number, String id);
    }

    Gruelbox(DataSource database) {
        transactions = TransactionManager.fromDataSource(database);
        outbox = TransactionOutbox.builder()
                .transactionManager(transactions)
                .instantiator(Instantiator.using(type -> (Calls) this::take))
                .persistor(Persistor.forDialect(Dialect.H2))
                .attemptFrequency(DUE)
                .submitter((entry, call) -> {
                    if (isWorking) {
                        call.accept(entry);
                    } else {
                        place(entry);
                    }
                })
                .build();
        transactions.inTransaction(transaction -> {
            update(transaction, "ALTER TABLE txno_outbox ADD COLUMN IF NOT EXISTS topic VARCHAR(250)");
            update(transaction, "ALTER TABLE txno_outbox ADD COLUMN IF NOT EXISTS seq BIGINT");
        });
    }

    /** Stores the call, and does not make it. */
    void schedule(Sold sold) {
        transactions.inTransaction(() -> outbox.schedule(Calls.class).sold(sold.basket(), sold.number(), sold.id()));
    }

    /** What newer versions do for a call with a topic, here the basket. */
    private void place(TransactionOutboxEntry entry) {
        Object[] sold = entry.getInvocation().getArgs();
        transactions.inTransaction(transaction -> update(
                transaction,
                "UPDATE txno_outbox SET topic = ?, seq = ? WHERE id = ?",
                sold[0],
                sold[1],
                entry.getId()));
    }

    /** Makes the calls that are due. */
    void flush() {
        isWorking = true;
        outbox.flush();
        isWorking = false;
    }

    private void take(String basket, int number, String id) {
        transactions.requireTransaction(transaction -> update(transaction, Stock.TAKE, basket, number, "old"));
    }

    private static void update(Transaction transaction, String sql, Object... values) {
        try (PreparedStatement update = transaction.connection().prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                update.setObject(i + 1, values[i]);
            }
            update.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
