package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every statement of the store on a real PostgreSQL, and what only it can show: a transaction in doubt. */
class PostgresStoreTest {
    private static final ClaimLimits ALL = new ClaimLimits(8, 500, 1_000_000);

    private static EmbeddedPostgres server;
    private static DataSource database;

    private JdbcOutboxStore store;

    @BeforeAll
    static void start() throws IOException {
        server = EmbeddedPostgres.builder()
                .setServerConfig("max_prepared_transactions", "10")
                .start();
        database = server.getPostgresDatabase();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    @BeforeEach
    void openTwice() throws SQLException {
        open();
        store = open();
        execute("TRUNCATE TABLE shop_message");
    }

    @Test
    void whatIsWrittenIsClaimedAndSettled() {
        store.write(List.of(message("a", "a1"), message("b", "b1"), message("a", "a2"), message("c", "c1")));

        try (Claim claim = store.claim(DESTINATION, 0, ALL)) {
            List<OutboxMessage> messages = claim.messages();
            assertThat(texts(messages)).containsExactlyInAnyOrder("a1", "b1", "a2", "c1");
            assertThat(claim.withhold(store.lockable(sequences(messages)))).isFalse();
            store.settle(new Settlement(
                    List.of(sequence(messages, "b1")),
                    List.of(
                            retry(sequence(messages, "a1"), OutboxStatus.FAILED),
                            retry(sequence(messages, "c1"), OutboxStatus.ABANDONED))));
        }

        assertThat(claimed()).as("a2 waits for a1").isEmpty();
        assertThat(store.backlog().pending()).isEqualTo(1);
        assertThat(store.backlog().failed()).isEqualTo(1);
        assertThat(store.backlog().abandoned()).isEqualTo(1);
        assertThat(store.find(OutboxFilter.all().withKey("b"), null))
                .extracting(m -> m.delivery().status())
                .containsExactly(OutboxStatus.PUBLISHED);
    }

    @Test
    void claimExcludesEveryOther() {
        store.write(keyed("a", "b", "c", "d", "e", "f"));

        try (Claim mine = store.claim(DESTINATION, 0, new ClaimLimits(2, 500, 1_000_000));
                Claim other = store.claim(DESTINATION, 0, ALL)) {
            assertThat(mine.queues()).isNotEmpty().hasSizeLessThanOrEqualTo(2);
            assertThat(other.queues()).doesNotContainAnyElementsOf(mine.queues());
            assertThat(texts(other.messages())).doesNotContainAnyElementsOf(texts(mine.messages()));
        }
    }

    @Test
    void messageInDoubtHoldsBackItsKeyOnly() throws SQLException {
        store.write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        try (Connection crashed = database.getConnection()) {
            crashed.setAutoCommit(false);
            execute(crashed, "UPDATE shop_message SET attempts = 1 WHERE payload = 'a1'");
            execute(crashed, "PREPARE TRANSACTION 'in-doubt'");
        }

        assertThat(claimed()).containsExactly("b1");

        execute("ROLLBACK PREPARED 'in-doubt'");
        assertThat(claimed()).containsExactlyInAnyOrder("a1", "a2", "b1");
    }

    @Test
    void keyThatWaitsStillWaitsOnTheNextPage() {
        JdbcOutboxStore one =
                JdbcOutboxStore.open(database, TestDatabase.config(SchemaMode.CREATE, "one", 1), Set.of(DESTINATION));
        one.write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1"), message("a", "a3")));
        try (Claim claim = one.claim(DESTINATION, 0, ALL)) {
            one.settle(
                    new Settlement(List.of(), List.of(retry(sequence(claim.messages(), "a1"), OutboxStatus.FAILED))));
        }

        try (Claim claim = one.claim(DESTINATION, 0, new ClaimLimits(1, 2, 1_000_000))) {
            assertThat(texts(claim.messages())).containsExactly("b1");
        }
    }

    @Test
    void messageThatWasInDoubtWhenItWasReadIsNotSentAgain() throws SQLException {
        store.write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        try (Connection crashed = database.getConnection()) {
            crashed.setAutoCommit(false);
            execute(crashed, "UPDATE shop_message SET status = 'PUBLISHED', queue_id = NULL WHERE payload = 'a1'");
            execute(crashed, "PREPARE TRANSACTION 'in-doubt'");
        }

        try (Claim claim = store.claim(DESTINATION, 0, ALL)) {
            assertThat(texts(claim.messages())).containsExactlyInAnyOrder("a1", "a2", "b1");
            execute("COMMIT PREPARED 'in-doubt'");
            claim.withhold(store.lockable(claim.sequences()));
            assertThat(texts(claim.messages())).containsExactly("b1");
        }
    }

    @Test
    void settlingDoesNotWaitForRecovery() throws SQLException {
        store.write(keyed("a"));
        Settler settler = new Settler("shop_message", new Statements(TestDatabase.PREFIX, Dialect.POSTGRESQL), 1);
        try (Claim claim = store.claim(DESTINATION, 0, ALL);
                Connection crashed = database.getConnection();
                Connection settling = database.getConnection()) {
            long sequence = sequence(claim.messages(), "a");
            crashed.setAutoCommit(false);
            execute(crashed, "UPDATE shop_message SET attempts = 1");
            execute(crashed, "PREPARE TRANSACTION 'in-doubt'");
            // So that this test ends without the settler's own time-out too.
            execute(settling, "SET lock_timeout = '10s'");

            for (Settlement settlement : List.of(
                    new Settlement(List.of(sequence), List.of()),
                    new Settlement(List.of(), List.of(retry(sequence, OutboxStatus.FAILED))))) {
                assertThatThrownBy(() -> settler.settle(settling, settlement))
                        .hasMessageContaining("canceling statement due to user request");
            }
        } finally {
            execute("ROLLBACK PREPARED 'in-doubt'");
        }
    }

    @Test
    void messageThatIsSettledAlreadyCannotBeSettledAgain() {
        store.write(keyed("a"));
        try (Claim claim = store.claim(DESTINATION, 0, ALL)) {
            Settlement settlement = new Settlement(List.copyOf(sequences(claim.messages())), List.of());
            store.settle(settlement);
            assertThatThrownBy(() -> store.settle(settlement)).hasMessageStartingWith("OBX-0305");
        }
    }

    @Test
    void keysAreComparedByteByByte() {
        store.write(keyed("A", "a", "a "));

        for (String key : List.of("A", "a", "a ")) {
            assertThat(store.find(OutboxFilter.all().withKey(key), null)).hasSize(1);
        }
    }

    @Test
    void nodeIsWrittenAndWrittenAgain() throws SQLException {
        NodeIdentity node = new NodeIdentity("node-1", "host", "server", 1, "1.0");
        store.touch(node);
        store.touch(node);
        execute("DELETE FROM shop_node WHERE node_id = 'node-1'");
    }

    private List<String> claimed() {
        try (Claim claim = store.claim(DESTINATION, 0, ALL)) {
            boolean others = true;
            while (others) {
                others = claim.withhold(store.lockable(claim.sequences()));
            }
            return texts(claim.messages());
        }
    }

    private static JdbcOutboxStore open() {
        return JdbcOutboxStore.open(database, TestDatabase.config(SchemaMode.CREATE, "shop", 8), Set.of(DESTINATION));
    }

    private static Retry retry(long sequence, OutboxStatus status) {
        Duration delay = status == OutboxStatus.FAILED ? Duration.ofHours(1) : null;
        return new Retry(sequence, status, 1, delay, "refused", status == OutboxStatus.FAILED);
    }

    private static Set<Long> sequences(List<OutboxMessage> messages) {
        return messages.stream().map(OutboxMessage::sequence).collect(Collectors.toSet());
    }

    private static long sequence(List<OutboxMessage> messages, String text) {
        return messages.stream()
                .filter(message -> message.body().text().equals(text))
                .findFirst()
                .orElseThrow()
                .sequence();
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection()) {
            execute(connection, sql);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
