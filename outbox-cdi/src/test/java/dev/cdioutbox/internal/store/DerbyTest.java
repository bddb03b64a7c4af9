package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guards that Derby accepts each statement, and that the store refuses claims by row lock there. The whole contract
 * does not run on Derby.
 */
@Tag("database")
@Tag("full")
class DerbyTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final DataSource database = new DerbyDatabase();

    @Test
    void everyStatementIsTaken() {
        EveryStatement.run(open(SchemaMode.CREATE), LEASE, step -> step.call().run());

        assertThatCode(() -> open(SchemaMode.CREATE)).doesNotThrowAnyException();
        assertThatCode(() -> open(SchemaMode.VALIDATE)).doesNotThrowAnyException();
    }

    @Test
    void claimsByLockAreRefused() {
        JdbcOutboxStore store = open(SchemaMode.CREATE);

        assertThatThrownBy(() -> store.checkClaims(null))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0314: Apache Derby")
                .hasMessageContaining("outbox.dispatcher.claim=lease");
        assertThatThrownBy(() -> store.claim(DESTINATION, 0, new ClaimLimits(1, 1, 1)))
                .hasMessageStartingWith("OBX-0314");
        assertThatCode(() -> store.checkClaims(LEASE)).doesNotThrowAnyException();
        assertThatCode(() -> new TestDatabase().open(1).checkClaims(null)).doesNotThrowAnyException();
    }

    /** Derby ignores trailing blanks in comparisons, so the table stores such a key in another form. */
    @Test
    void laterPageDoesNotOvertakeAKeyThatEndsWithABlank() {
        open(SchemaMode.CREATE, database)
                .write(List.of(
                        message("a ", "a1"),
                        message("b", "b0"),
                        message("b", "b1"),
                        message("a ", "a2"),
                        message("c", "c1")));
        execute("UPDATE shop_message SET queue_id = -queue_id WHERE message_key LIKE 'a%'");
        execute("UPDATE shop_message SET status = 'FAILED', available_at = TIMESTAMP('2099-01-01 00:00:00')"
                + " WHERE seq = (SELECT MIN(seq) FROM shop_message WHERE message_key = 'b')");
        Hook secondPage = new Hook(2, () -> execute("UPDATE shop_message SET queue_id = ABS(queue_id)"));

        try (Claim claim = open(SchemaMode.NONE, secondPage.around(database)).claim(DESTINATION, 0, limits(2))) {
            assertThat(texts(claim.messages())).containsExactly("c1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a ", ""})
    void followerOfADueBlockedKeyStaysInThePartition(String key) {
        JdbcOutboxStore store = open(SchemaMode.CREATE, database);
        store.write(List.of(message(key, "first")));
        long first = store.find(OutboxFilter.all(), null).get(0).sequence();
        store.settle(new Settlement(
                List.of(), List.of(new Retry(first, OutboxStatus.FAILED, 1, Duration.ZERO, "no", true))));
        store.write(List.of(message(key, "second")));

        try (Claim claim = store.claim(DESTINATION, 0, limits(100))) {
            assertThat(texts(claim.messages())).containsExactly("first");
            assertThat(claim.maintained()).isFalse();
        }
    }

    private static ClaimLimits limits(int messages) {
        return new ClaimLimits(1, messages, 1_000_000, LEASE);
    }

    private void execute(String sql) {
        Database.execute(database, sql);
    }

    private JdbcOutboxStore open(SchemaMode mode) {
        return open(mode, database, 4);
    }

    private static JdbcOutboxStore open(SchemaMode mode, DataSource database) {
        return open(mode, database, 1);
    }

    private static JdbcOutboxStore open(SchemaMode mode, DataSource database, int partitions) {
        return JdbcOutboxStore.open(
                database,
                new StoreConfig("jdbc/shop", mode, TestDatabase.PREFIX, "shop", partitions, Ordering.STRICT, null),
                Set.of(DESTINATION));
    }
}
