package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.Test;

/** Guards that strict ordering stores the rows of a key in commit order, without a business row that locks the key. */
class KeyOrderTest extends StoreContract {
    private static final int ROUNDS = 800;

    KeyOrderTest(Database kind) {
        super(kind);
        database.open(4);
    }

    @Test
    void rowsOfAKeyAreInTheOrderOfTheCommitsIfOrderingIsStrict() throws Exception {
        int inversions = race(ROUNDS, List.of(message("order-1", "one")), List.of(message("order-1", "two")));

        assertThat(inversions).isZero();
        assertThat(database.query("SELECT COUNT(*) FROM shop_message")).containsExactly(String.valueOf(2 * ROUNDS));
    }

    @Test
    void secondTransactionOfAKeyWaitsForTheFirstIfOrderingIsStrict() throws Exception {
        ExecutorService writer = Executors.newSingleThreadExecutor();
        try (TransactionSource early = new TransactionSource(database.dataSource());
                TransactionSource late = new TransactionSource(database.dataSource())) {
            JdbcOutboxStore first = open(early, Ordering.STRICT);
            JdbcOutboxStore second = open(late, Ordering.STRICT);
            early.begin();
            first.capture().write(List.of(message("order-1", "one")));
            late.begin();
            Future<?> waiting = writer.submit(() -> {
                second.capture().write(List.of(message("order-1", "two")));
                late.commit();
                return null;
            });
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> waiting.isDone()
                            || !database.query(database.kind().blocked()).equals(List.of("0")));
            assertThat(waiting.isDone()).isFalse();

            early.commit();
            waiting.get();
        } finally {
            writer.shutdownNow();
        }
        assertThat(database.query("SELECT payload FROM shop_message ORDER BY seq"))
                .containsExactly("one", "two");
    }

    /** By both, a consumer tells a message that was overtaken from one of a sequence that began again. */
    @Test
    void timeOfTheInsertAscendsWithTheSequenceHoweverLongTheTransaction() throws Exception {
        try (TransactionSource early = new TransactionSource(database.dataSource());
                TransactionSource late = new TransactionSource(database.dataSource())) {
            JdbcOutboxStore one = open(early, Ordering.ROW_LOCK);
            JdbcOutboxStore two = open(late, Ordering.ROW_LOCK);
            early.begin();
            Database.execute(early.connection(), "UPDATE shop_control SET paused = 0");
            late.begin();
            two.capture().write(List.of(message("order-1", "two")));
            late.commit();
            one.capture().write(List.of(message("order-1", "one")));
            early.commit();
        }
        for (String column : List.of("seq", "created_at")) {
            assertThat(database.query("SELECT payload FROM shop_message ORDER BY " + column))
                    .as(column)
                    .containsExactly("two", "one");
        }
    }

    /** Negative control: without the lock of the key, the second transaction does overtake the first. */
    @Test
    void theyAreNotIfNothingLocksTheKey() throws Exception {
        NewMessage first = message("order-1", "one");
        try (TransactionSource early = new TransactionSource(database.dataSource());
                TransactionSource late = new TransactionSource(database.dataSource())) {
            JdbcOutboxStore one = open(early, Ordering.ROW_LOCK);
            JdbcOutboxStore two = open(late, Ordering.ROW_LOCK);
            early.begin();
            one.capture().write(List.of(first));
            late.begin();
            two.capture().write(List.of(message("order-1", "two")));
            late.commit();

            assertThat(isOvertaken(early.connection(), first)).isTrue();
            early.commit();
        }
    }

    @Test
    void keysLockedInOppositeOrderDoNotWaitForEachOtherInACircle() throws Exception {
        List<NewMessage> there = List.of(message("a", "1"), message("b", "2"), message("c", "3"), message("d", "4"));
        race(200, there, List.of(there.get(3), there.get(2), there.get(1), there.get(0)));

        assertThat(database.query("SELECT COUNT(*) FROM shop_message")).containsExactly("1600");
    }

    private int race(int rounds, List<NewMessage> first, List<NewMessage> second) throws Exception {
        ExecutorService writers = Executors.newFixedThreadPool(2);
        try {
            Callable<Integer> one = () -> write(rounds, first);
            Callable<Integer> two = () -> write(rounds, second);
            int inversions = 0;
            for (Future<Integer> writer : writers.invokeAll(List.of(one, two))) {
                inversions += writer.get();
            }
            return inversions;
        } finally {
            writers.shutdownNow();
        }
    }

    /** Counts the transactions that, before their own commit, see a later row of their key already committed. */
    private int write(int rounds, List<NewMessage> messages) throws SQLException {
        int inversions = 0;
        try (TransactionSource transaction = new TransactionSource(database.dataSource())) {
            JdbcOutboxStore store = open(transaction, Ordering.STRICT);
            for (int queueOrder = 0; queueOrder < rounds; queueOrder++) {
                transaction.begin();
                store.capture()
                        .write(messages.stream()
                                .map(m -> message(m.event().key(), m.body().text()))
                                .toList());
                if (queueOrder % 3 == 0) {
                    Thread.yield();
                }
                inversions += messages.size() == 1 && isOvertaken(transaction.connection(), messages.get(0)) ? 1 : 0;
                transaction.commit();
            }
        }
        return inversions;
    }

    private static JdbcOutboxStore open(TransactionSource transaction, Ordering ordering) {
        StoreConfig config = new StoreConfig(
                "jdbc/shop", SchemaMode.NONE, TestDatabase.PREFIX, "shop", 4, ordering, null, StoreConfig.Cdc.NONE);
        return JdbcOutboxStore.open(transaction.dataSource(), config, Set.of(DESTINATION));
    }

    /**
     * Whether the last visible row is another transaction's: that transaction took a later number and committed first.
     */
    private static boolean isOvertaken(Connection connection, NewMessage own) throws SQLException {
        try (PreparedStatement select =
                        connection.prepareStatement("SELECT payload FROM shop_message ORDER BY seq DESC");
                ResultSet rows = first(select)) {
            rows.next();
            return !rows.getString(1).equals(own.body().text());
        }
    }

    private static ResultSet first(PreparedStatement select) throws SQLException {
        select.setMaxRows(1);
        return select.executeQuery();
    }
}
