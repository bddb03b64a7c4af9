package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.Test;

/**
 * Guards a claim against stale reads under REPEATABLE READ, the default of some databases and of Liberty's DataSources.
 */
class SnapshotTest extends StoreContract {
    private static final ClaimLimits ALL = limits(1, 500, 1_000_000);

    SnapshotTest(Database kind) {
        super(kind);
    }

    @Test
    void claimDoesNotReadWhatAnotherNodeSettledBeforeItGotTheLock() {
        JdbcOutboxStore other = database.open(1);
        other.capture().write(keyed("a", "b"));
        WatchedSource pool = new WatchedSource(database.dataSource(), Connection.TRANSACTION_REPEATABLE_READ);
        JdbcOutboxStore store = JdbcOutboxStore.open(
                pool.dataSource(), TestDatabase.config(SchemaMode.CREATE, "shop", 1), Set.of(DESTINATION));
        // The snapshot of a transaction begins with its first statement.
        pool.after(1, () -> settleAll(other));

        try (Claim claim = claim(store, ALL)) {
            assertThat(claim.messages())
                    .as("settled by another, or claimed before the other could settle it")
                    .hasSize(database.statuses().contains("PENDING") ? 2 : 0);
        }

        assertThat(pool.givenBack()).isNotEmpty().containsOnly("auto-commit, isolation 4, time limit 0");
    }

    private static void settleAll(JdbcOutboxStore store) {
        try (Claim claim = claim(store, ALL)) {
            List<Long> sequences =
                    claim.messages().stream().map(OutboxMessage::sequence).toList();
            store.settlements().settleSent(sent(sequences));
        }
    }
}
