package dev.cdioutbox.internal.store.claim;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TransactionSource;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.settle.SentSettlement;
import dev.cdioutbox.internal.store.settle.SettlementStore;
import dev.cdioutbox.internal.store.settle.SettlementWriter;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Sql;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Guards claims and settles against a delivery that crashed between the two phases of its commit: its rows are locked
 * until recovery.
 */
class InDoubtTest extends StoreContract {
    private final JdbcOutboxStore store = database.open(1);

    InDoubtTest(Database kind) {
        super(kind);
    }

    @Test
    void messageInDoubtHoldsBackItsKeyOnly() throws SQLException {
        store.capture().write(List.of(message("a", "a1"), message("b", "b1"), message("a", "a2"), message(null, "n1")));

        database.whileInDoubt(database.settling(List.of("a1")), () -> {
            assertThat(free(500)).containsExactly("b1", "n1");
            assertThat(free(1)).as("read on behind it").containsExactly("b1");
        });

        assertThat(free(500)).containsExactly("a1", "b1", "a2", "n1");
    }

    @Test
    void messageInDoubtNeitherMovesNorIsCountedAsSettled() throws SQLException {
        store.capture().write(List.of(message("a", "a1")));

        database.whileInDoubt(database.settling(List.of("a1")), () -> {
            assertThat(store.status().backlog().pending()).isEqualTo(1);
            assertThat(store.delayed().release(DESTINATION)).isFalse();
        });

        assertThat(database.statuses()).containsExactly("PENDING");
    }

    /** A node that lost its claim may find that another node prepared the same rows and crashed. */
    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void settlingDoesNotWaitForRecovery() throws SQLException {
        store.capture().write(List.of(message("a", "a1")));
        Sql sql = new Sql(TestDatabase.PREFIX, database.kind().dialect());
        SentSettlement sent = sent(List.of(database.sequence("a1")));

        database.whileInDoubt(database.settling(List.of("a1")), () -> {
            try (TransactionSource settling = new TransactionSource(database.dataSource())) {
                if (database.kind() == Database.H2) {
                    // H2 applies the lock timeout of the session, not the timeout of the statement.
                    Database.execute(settling.connection(), "SET LOCK_TIMEOUT 1000");
                }
                SettlementStore settlements =
                        SettlementWriter.of(new Connections(settling.dataSource()), sql, null, null, null, 1);
                assertThatThrownBy(() -> settlements.settleSent(sent)).hasCauseInstanceOf(SQLException.class);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private List<String> free(int messages) {
        try (Claim claim = claim(store, limits(1, messages, 1_000_000))) {
            return texts(claim.messages());
        }
    }
}
