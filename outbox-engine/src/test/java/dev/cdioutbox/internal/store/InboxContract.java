package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;

import dev.cdioutbox.internal.store.inbox.JdbcInbox;
import dev.cdioutbox.internal.store.inbox.Position;
import dev.cdioutbox.internal.store.inbox.Position.Order;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Sql;
import org.junit.jupiter.api.AutoClose;

/** Base of the inbox tests: each consumer's transaction has a connection of its own. */
abstract class InboxContract extends StoreContract {
    final JdbcInbox direct = database.open(1).inbox();

    @AutoClose("shutdownNow")
    final ExecutorService nodes = Executors.newCachedThreadPool();

    InboxContract(Database kind) {
        super(kind);
    }

    /** A copy that waits for the first consumer, whose transaction is still open. */
    Future<Boolean> whileHandling(TransactionSource first, Predicate<JdbcInbox> step) throws Exception {
        JdbcInbox inbox = inbox(first);
        first.begin();
        assertThat(step.test(inbox)).isTrue();
        Future<Boolean> copy = nodes.submit(() -> handled(step));
        awaitBlocked(copy);
        return copy;
    }

    /** Waits until the database reports a session that waits for a lock. */
    void awaitBlocked(Future<Boolean> copy) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (database.query(database.kind().blocked()).equals(List.of("0"))) {
            assertThat(copy.isDone()).as("the copy has not waited").isFalse();
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.onSpinWait();
        }
        assertThat(copy.isDone()).isFalse();
    }

    /** Whether the message is in the order of its key; none of these says when it occurred. */
    static boolean advance(JdbcInbox inbox, String consumer, String key, long sequence) {
        return inbox.advance(consumer, key, new Position(sequence, null)) == Order.IN_ORDER;
    }

    /** Runs one step in a transaction of its own, as another node does. */
    boolean handled(Predicate<JdbcInbox> step) throws SQLException {
        return handled(node(), step);
    }

    boolean handled(TransactionSource on, Predicate<JdbcInbox> step) throws SQLException {
        try (on) {
            JdbcInbox inbox = inbox(on);
            on.begin();
            boolean is = step.test(inbox);
            on.commit();
            return is;
        }
    }

    TransactionSource node() throws SQLException {
        return new TransactionSource(database.dataSource());
    }

    JdbcInbox inbox(TransactionSource node) {
        Connections connections = new Connections(node.dataSource());
        return new JdbcInbox(
                connections,
                connections,
                "shop",
                new Sql(TestDatabase.PREFIX, database.kind().dialect()));
    }
}
