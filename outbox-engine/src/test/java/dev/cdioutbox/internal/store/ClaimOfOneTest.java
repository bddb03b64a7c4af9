package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.partition;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guards the claim of one message on PostgreSQL: it finds the message by its primary key, and reads no more pages,
 * whether nothing else waits, much waits, or much has just been settled, with statistics of any age, and however many
 * messages are kept.
 */
@Tag("database")
class ClaimOfOneTest {
    private static final int PARTITIONS = 4;
    private static final int WAITING = 10_000;
    private static final int BATCH = 500;

    /**
     * In pages, of all queries of a claim together. A node that has just started reads some 140 to 150: how many of the settled
     * messages have left the index by then depends on PostgreSQL.
     */
    private static final int MOST = 200;

    private static final Pattern ACCESS =
            Pattern.compile("[A-Z][A-Za-z ]* Scan(?: using \\w+)? on shop_(message|queue)\\b");

    @AutoClose
    private final TestDatabase database = new TestDatabase(Database.POSTGRESQL);

    private final AtomicLong nanos = new AtomicLong();
    private final ExplainedSource explained = new ExplainedSource(database.dataSource());
    private final JdbcOutboxStore store = open();
    private final BulkRows crowd = new BulkRows(database);
    private Duration lease;
    private final Map<String, Long> pages = new LinkedHashMap<>();
    private final Map<String, Set<String>> accesses = new LinkedHashMap<>();

    @BeforeEach
    void keepWhatIsDead() {
        database.commitToDisk();
        // A vacuum would remove the dead entries of the settled messages at a time of its own.
        database.update("ALTER TABLE shop_queue SET (autovacuum_enabled = off)");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = "PT10M")
    void costsTheSameWithFewMessagesKept(Duration lease) {
        measure(1_000, lease);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = "PT10M")
    @Tag("full")
    void costsTheSameWithAMillionMessagesKept(Duration lease) {
        measure(1_000_000, lease);
    }

    /** A connection keeps a plan until the tables are analyzed, and may have made it while hardly anything waited. */
    @Test
    void planOfAnEmptyQueueSuitsAFullOne() throws SQLException {
        store.capture().write(keyed("alone"));
        crowd.analyze();
        Map<String, String> sql = StatementCatalog.of(TestDatabase.PREFIX, SupportedDatabases.POSTGRESQL);
        long delayed = partition(DESTINATION, PartitionIds.DELAYED);
        long queue = number("SELECT queue_id FROM shop_queue");
        try (Connection connection = database.dataSource().getConnection()) {
            List<KeptPlan> claim = List.of(
                    new KeptPlan(
                            connection,
                            sql.get("PartitionClaim.find"),
                            0L,
                            "{0,0,0,0,0}",
                            partition(DESTINATION, PartitionIds.BACKFILL),
                            partition(DESTINATION, PartitionIds.BACKFILL + PARTITIONS),
                            16,
                            delayed,
                            delayed),
                    new KeptPlan(connection, sql.get("PageReader.statement"), queue, 0));
            connection.setAutoCommit(false);
            for (KeptPlan statement : claim) {
                statement.explained();
            }
            connection.rollback();
            store.capture().write(numbered(0, WAITING, 50));
            for (KeptPlan statement : claim) {
                Explained plan = statement.explained();
                assertThat(plan.plan()).doesNotContain("Seq Scan on shop_queue", "Seq Scan on shop_message");
            }
            connection.rollback();
        }
    }

    private long number(String query) {
        return Long.parseLong(database.query(query).get(0));
    }

    /** @param lease how long a claim lasts; null for a claim by row lock */
    private void measure(int kept, Duration lease) {
        this.lease = lease;
        crowd.published(kept);
        claim(store, 1);
        store.capture().write(keyed("alone"));
        measure("empty queue", store);
        drain();
        store.capture().write(numbered(0, WAITING, 50));
        measure("full queue", store);
        drain();
        store.capture().write(keyed("next"));
        measure("drained queue", store);
        // A node that has just started knows no read watermark, and passes the dead entries once.
        JdbcOutboxStore restarted = open();
        claim(restarted, 1);
        measure("drained queue after a restart", restarted);

        assertThat(accesses.values().stream().distinct())
                .as(accesses.toString())
                .hasSize(1);
        assertThat(accesses.values()).allSatisfy(scans -> assertThat(scans)
                .anyMatch(scan -> scan.contains("using shop_message_pkey"))
                .anyMatch(scan -> scan.contains("using shop_queue_order"))
                .noneMatch(scan -> scan.contains("Seq Scan")));
        assertThat(pages).allSatisfy((name, read) -> assertThat(read).as(name).isLessThan(MOST));
    }

    /** With the statistics of the state before, and with new ones. */
    private void measure(String state, JdbcOutboxStore node) {
        for (String statistics : List.of("old", "new")) {
            String name = state + ", " + statistics + " statistics";
            pages.put(name, explained.pages(() -> assertThat(claim(node, 1)).hasSize(1)));
            accesses.put(
                    name,
                    ACCESS.matcher(explained.plans())
                            .results()
                            .map(MatchResult::group)
                            .collect(Collectors.toCollection(TreeSet::new)));
            crowd.analyze();
        }
    }

    private void drain() {
        for (List<Long> batch = claim(store, BATCH); !batch.isEmpty(); batch = claim(store, BATCH)) {
            store.settlements().settleSent(sent(batch));
        }
    }

    /** Lets just enough time pass for the next observation of the writers. */
    private List<Long> claim(JdbcOutboxStore node, int messages) {
        nanos.addAndGet(100_000_000);
        Reservation reservation = lease == null
                ? node.claims().rowLocks(DESTINATION)
                : node.claims().lease(DESTINATION, lease);
        try (Claim claim = TestMessages.claim(node, reservation, TestMessages.limits(1, messages, 10_000_000))) {
            return claim.messages().stream().map(OutboxMessage::sequence).toList();
        }
    }

    private JdbcOutboxStore open() {
        return JdbcOutboxStore.open(
                explained.dataSource(),
                TestDatabase.config(SchemaMode.CREATE, "shop", PARTITIONS),
                Set.of(DESTINATION),
                nanos::get);
    }
}
