package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.Test;

/**
 * A limit of the database for sessions that are idle in a transaction frees the claim of a suspended node, and leaves
 * prepared transactions alone. The fragment for PostgreSQL sets this limit, and docs/databases.md for MariaDB.
 */
@EachDatabase({Database.POSTGRESQL, Database.MARIADB})
class SuspendedNodeTest extends StoreContract {
    private static final ClaimLimits ALL = limits(1, 500, 1_000_000);

    private final JdbcOutboxStore store = database.open(1);

    SuspendedNodeTest(Database kind) {
        super(kind);
    }

    @Test
    void claimOfASuspendedNodeEndsWithItsSession() {
        store.capture().write(List.of(message("a", "a1")));

        whileSuspended(() -> assertThat(free()).containsExactly("a1"));
    }

    @Test
    void messageInDoubtStaysInDoubtThoughItsSessionIsIdle() throws SQLException {
        store.capture().write(List.of(message("a", "a1"), message("b", "b1")));
        database.kind()
                .whilePrepared(
                        limited(),
                        database.settling(List.of("a1")),
                        () -> whileSuspended(() -> assertThat(free()).containsExactly("b1")));
        assertThat(free()).as("its rollback was possible").containsExactly("a1", "b1");
    }

    /** Runs the action when the database has ended the session of a node that claimed and does not go on. */
    private void whileSuspended(Runnable what) {
        JdbcOutboxStore suspended = JdbcOutboxStore.open(
                limited(), TestDatabase.config(SchemaMode.VALIDATE, "shop", 1), Set.of(DESTINATION));
        try (Claim claim = claim(suspended, ALL)) {
            assertThat(claim.partitions()).hasSize(1);
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                try (Claim other = claim(store, ALL)) {
                    return !other.partitions().isEmpty();
                }
            });
            what.run();
        }
    }

    /** The messages that another node may send. */
    private List<String> free() {
        try (Claim claim = claim(store, ALL)) {
            return texts(claim.messages());
        }
    }

    private DataSource limited() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Connection connection = database.dataSource().getConnection();
                    Database.execute(
                            connection,
                            database.kind().limitOfIdleTransactions().orElseThrow());
                    return connection;
                });
    }
}
