package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.partition;
import static java.util.Map.entry;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageFinder;
import dev.cdioutbox.internal.store.operate.QueryConditions;
import dev.cdioutbox.internal.store.settle.SettlementWriter;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/**
 * Guards that a claim, a settle, a purge, the backlog and a list cost no more with many published or waiting messages
 * than with few.
 */
abstract class PlansContract {
    static final int FEW = 1_000;
    private static final int WAITING = 1_000;

    private static final int PARTITIONS = 4;

    /** It shows the keys with the most messages first. Its limit is that for a hundred thousand blocked keys. */
    private static final String READS_ALL_BLOCKED_KEYS = "blocked keys";

    /**
     * Further pages or rows that a statement may read if it counts up to a cap or reads a limited number of blocked
     * keys. The limit is half as much again as it reads today.
     */
    private static final Map<String, List<Integer>> LIMITED = Map.ofEntries(
            // On H2, on PostgreSQL, and on MariaDB and MySQL. The statement looks up each blocked key in the index of
            // the messages.
            entry("counts", List.of(165_000, 120_000, 300_000)),
            entry("counts of one", List.of(165_000, 120_000, 180_000)),
            entry("waiting", List.of(60_000, 60_000, 60_000)),
            entry("oldest", List.of(85_000, 26_000, 90_000)),
            entry("oldest of one", List.of(85_000, 61_000, 90_000)),
            // These statements pass as many blocked keys of other applications.
            entry("counts of nothing", List.of(15_000, 0, 0)),
            entry("oldest of nothing", List.of(30_000, 500, 15_000)),
            entry("lost keys", List.of(2_000, 2_000, 6_000)),
            // These statements read so many deliveries, and so many blocked keys.
            entry("crashed since delivery", List.of(31_000, 0, 31_000)),
            entry("stopped by", List.of(90_000, 46_000, 90_000)),
            // These statements count the messages of so many blocked keys.
            entry("keys held up", List.of(255_000, 45_000, 30_000)),
            entry(READS_ALL_BLOCKED_KEYS, List.of(2_000_000, 3_200, 1_950_000)),
            // The statement looks up each scanned row among the blocked keys.
            entry("followers", Collections.nCopies(3, 4000)));

    private static final List<Integer> NOTHING_MORE = List.of(0, 0, 0);

    private final Database kind;
    private final Map<String, String> sql;
    private final SettlementWriter settlements;
    private final MessageFinder finder;

    PlansContract(Database kind) {
        this.kind = kind;
        this.sql = StatementCatalog.of(TestDatabase.PREFIX, kind.dialect());
        Sql names = new Sql(TestDatabase.PREFIX, kind.dialect());
        this.settlements = SettlementWriter.of(null, names, null, null, null, 1);
        this.finder = new MessageFinder(null, "shop", names, MessageFinder.ROWS);
    }

    /** The numbers of published messages to compare with {@link #FEW}. */
    abstract List<Integer> many();

    /** How many messages of each waiting kind the table has. */
    int waiting(int published) {
        return published / 10;
    }

    @Test
    void costOfAStatementDoesNotGrowWithWhatIsKept() throws SQLException {
        Map<String, Explained> few = plans(FEW);
        report(FEW, few);

        SoftAssertions all = new SoftAssertions();
        for (int published : many()) {
            Map<String, Explained> many = plans(published);
            report(published, many);
            many.forEach((name, plan) -> compare(all, name, few.get(name), plan, published));
        }
        all.assertAll();
    }

    private void compare(SoftAssertions all, String name, Explained few, Explained many, int published) {
        int further =
                LIMITED.getOrDefault(name, NOTHING_MORE).get(Math.min(kind.ordinal(), Database.MARIADB.ordinal()));
        if (name.equals(READS_ALL_BLOCKED_KEYS)) {
            further *= Math.max(1, waiting(published) / 100_000);
        }
        all.assertThat(many.readsWhole())
                .as("'%s' goes through all messages on %s; plan: %s", name, kind, many.plan())
                .isFalse();
        // An index of a thousand times as many rows has one or two more levels.
        all.assertThat(many.reads())
                .as("pages or rows that '%s' reads on %s; plan: %s", name, kind, many.plan())
                .isLessThanOrEqualTo(3 * few.reads() + 100 + further);
    }

    /** Reports the plans with that many published messages. */
    void report(int published, Map<String, Explained> plans) {
        // Only the longest test prints them.
    }

    /** A new database; on H2, in memory. */
    TestDatabase fresh() {
        return kind == Database.H2 ? new TestDatabase() : new TestDatabase(kind);
    }

    private Map<String, Explained> plans(int published) throws SQLException {
        try (TestDatabase database = fresh()) {
            JdbcOutboxStore store = database.open(PARTITIONS);
            BulkRows crowd = new BulkRows(database);
            crowd.published(published);
            database.open(SchemaMode.CREATE, "other", PARTITIONS);
            database.open(SchemaMode.CREATE, "small", PARTITIONS);
            crowd.strangers(waiting(published));
            crowd.waiting(waiting(published));
            crowd.overdue(waiting(published));
            crowd.handled(waiting(published));
            crowd.crashed();
            store.operations().pause("audit", true, "ada");
            store.capture().write(numbered(0, WAITING, 50));
            crowd.analyze();
            List<String> sequences =
                    database.query("SELECT seq FROM shop_message WHERE payload_bytes < 4 ORDER BY seq");
            String queue = database.query(
                            "SELECT MAX(q.queue_id) FROM shop_queue q JOIN shop_message m ON m.seq = q.seq WHERE m.payload_bytes < 4")
                    .get(0);
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                return explain(connection, published, Long.parseLong(queue), sequences);
            }
        }
    }

    private Map<String, Explained> explain(Connection connection, int published, long queue, List<String> waiting)
            throws SQLException {
        if (kind == Database.POSTGRESQL && published == FEW) {
            // A small table is best read whole; then there would be no index read to compare with.
            try (PreparedStatement set = connection.prepareStatement("SET enable_seqscan = off")) {
                set.execute();
            }
        }
        Object[] sequences = waiting.subList(0, 512).stream().map(Long::valueOf).toArray();
        Map<String, Explained> plans = new LinkedHashMap<>();
        long delayed = partition(DESTINATION, PartitionIds.DELAYED);
        plans.put("candidates", plan(connection, sql.get("PartitionClaim.find"), candidates(DESTINATION, delayed)));
        plans.put(
                "anything waiting",
                plan(
                        connection,
                        sql.get("WaitingDestinations.find"),
                        kind == Database.POSTGRESQL
                                ? new Object[] {"{}", "{}", "shop", PartitionIds.DELAYED}
                                : new Object[] {"shop", PartitionIds.DELAYED}));
        plans.put("read", plan(connection, sql.get("PageReader.statement"), queue, 0L));
        plans.put("read of nothing", plan(connection, sql.get("PageReader.statement"), delayed - 1_000, 0L));
        plans.put("paused", plan(connection, sql.get("PartitionClaim.find"), candidates("audit", delayed)));
        plans.put("due blocked keys", plan(connection, sql.get("DueBlockedKeys.ofOnePartition"), queue, 64));
        plans.put("followers", plan(connection, sql.get("PartitionFollowers.find"), queue, 0L));
        plans.put("promote", plan(connection, sql.get("DelayedMessages.due"), delayed));
        plans.put("lock to expire", plan(connection, sql.get("DeliveryTable.lockExpired"), sequences));
        plans.put("settle", settle(connection, sequences, new Object[] {null}));
        List<Object> named = new ArrayList<>();
        List.of(sequences).forEach(sequence -> named.addAll(List.of(sequence, "ID:" + sequence)));
        named.add("shadow");
        plans.put("settle by name", settle(connection, sequences, named.toArray()));
        plans.put("leave", plan(connection, sql.get("DeliveryTable.remove"), sequences));
        plans.put(
                "purge",
                plan(
                        connection,
                        sql.get("MessagePurge.purgeable"),
                        "shop",
                        -1000L,
                        -1000L,
                        -1000L,
                        published / 2L,
                        500));
        List<Object> over = new ArrayList<>(List.of(0L));
        for (long i = 0; i < 512; i++) {
            over.add(published / 2L + i);
        }
        for (String lock : List.of("lockSettled", "lockAbandoned")) {
            plans.put(lock + " to purge", plan(connection, sql.get("MessagePurge." + lock), over.toArray()));
        }
        plans.put(
                "remove",
                plan(
                        connection,
                        sql.get("MessageRemoval.removeMessages"),
                        over.subList(1, over.size()).toArray()));
        Object[] settled = over.subList(1, over.size()).toArray();
        for (String step : List.of("lock", "eraseErrors", "erase", "ids")) {
            plans.put(step + " to erase", plan(connection, sql.get("ErasureTable." + step), settled));
        }
        plans.put(
                "keys held up",
                scanByIndex(connection, sql.get("HeldUpKeyCounter.blocked"), QueueId.BLOCKED_KEYS, "shop"));
        plans.put("queues in doubt", byIndex(connection, sql.get("HeldUpKeyCounter.queues"), sequences));
        plans.put("messages in doubt", byIndex(connection, sql.get("HeldUpKeyCounter.inDoubt"), sequences));
        plans.put("waiting behind them", byIndex(connection, sql.get("HeldUpKeyCounter.waiting"), queue));
        plans.put(
                "blocked keys", plan(connection, sql.get("BlockedKeyFinder.find"), QueueId.BLOCKED_KEYS, "shop", 100));
        plans.put("purge the inbox", plan(connection, sql.get("JdbcInbox.purgeMessages"), "shop", -1000L, 100));
        plans.put("old keys of the inbox", plan(connection, sql.get("JdbcInbox.oldKeys"), "shop", -1000L, "", 100));
        plans.put(
                "counts", scanByIndex(connection, sql.get("Statements.counts"), backlog(sql.get("Statements.counts"))));
        Object[] countsOfOne = backlog(sql.get("Statements.countsOfOne"));
        ofAudit(countsOfOne, countsOfOne.length - 1);
        plans.put("counts of one", scanByIndex(connection, sql.get("Statements.countsOfOne"), countsOfOne));
        plans.put(
                "oldest", scanByIndex(connection, sql.get("Statements.oldest"), backlog(sql.get("Statements.oldest"))));
        Object[] oldestOfOne = backlog(sql.get("Statements.oldestOfOne"));
        ofAudit(oldestOfOne, oldestOfOne.length);
        plans.put("oldest of one", scanByIndex(connection, sql.get("Statements.oldestOfOne"), oldestOfOne));
        plans.put(
                "counts of nothing",
                scanByIndex(connection, sql.get("Statements.counts"), backlog(sql.get("Statements.counts"), "small")));
        plans.put(
                "oldest of nothing",
                scanByIndex(connection, sql.get("Statements.oldest"), backlog(sql.get("Statements.oldest"), "small")));
        Object[] twice = {"shop", DESTINATION, "shop", DESTINATION};
        plans.put("crashed since delivery", byIndex(connection, sql.get("CrashHistory.crashedSinceDelivery"), twice));
        plans.put("stopped by", byIndex(connection, sql.get("CrashHistory.stoppedBy"), twice));
        plans.put("lost keys", lostKeys(connection));
        plans.put("waiting", plan(connection, finder.countWaiting, 20_001));
        plans.put("stretch", plan(connection, finder.scanWindow, Long.MAX_VALUE, 0L, 1_000));
        plans.put("row below", plan(connection, finder.rowBelow, published / 2L));
        plans.put("page", page(connection, published));
        plans.put("strangers", plan(connection, sql.get("PartitionSetup.otherApplications"), "other"));
        connection.rollback();
        return plans;
    }

    /** The list's query for a scan window of a thousand rows. */
    private Explained page(Connection connection, long published) throws SQLException {
        OutboxFilter filter = OutboxFilter.all().withKey("nobody").withStatus(OutboxStatus.PUBLISHED);
        OutboxPageRequest window =
                OutboxPageRequest.of(50).withBefore(published).withAfter(published - 1_000L);
        QueryConditions conditions =
                QueryConditions.byKey(kind.dialect(), "shop").matching(filter, window);
        List<Object> parameters = conditions.parameters().values().stream()
                .flatMap(value -> value instanceof Collection<?> list ? list.stream() : Stream.of(value))
                .collect(Collectors.toCollection(ArrayList::new));
        parameters.add(window.limit());
        return plan(connection, finder.newest(conditions, true), parameters.toArray());
    }

    private Object[] candidates(String destination, long delayed) {
        return kind == Database.POSTGRESQL
                ? new Object[] {0L, "{0,0,0,0,0}", first(destination), last(destination), 16, delayed, delayed}
                : new Object[] {0L, first(destination), last(destination), delayed, delayed};
    }

    private static long first(String destination) {
        return partition(destination, PartitionIds.BACKFILL);
    }

    private static long last(String destination) {
        return partition(destination, PartitionIds.BACKFILL + PARTITIONS);
    }

    private Object[] backlog(String statement) {
        return backlog(statement, "shop");
    }

    private Object[] backlog(String statement, String application) {
        int parameters = (int) statement.chars().filter(c -> c == '?').count();
        List<Object> all = new ArrayList<>(kind == Database.POSTGRESQL ? List.of("{}", "{}") : List.of());
        all.addAll(Collections.nCopies(parameters - all.size(), application));
        return all.toArray();
    }

    /** Each parameter for the application is followed by one for the destination. */
    private void ofAudit(Object[] parameters, int end) {
        for (int i = kind == Database.POSTGRESQL ? 3 : 1; i < end; i += 2) {
            parameters[i] = "audit";
        }
    }

    /** The check of the tables, without its look at their shape. A parameter of it says where blocked keys begin. */
    private Explained lostKeys(Connection connection) throws SQLException {
        String check = sql.get("TableCheck.check");
        long blocked = QueueId.BLOCKED_KEYS;
        return plan(
                connection,
                check.substring(0, check.indexOf("UNION ALL SELECT '', ''")),
                "shop",
                "shop",
                blocked,
                blocked,
                blocked,
                blocked,
                "shop");
    }

    /** @param names the broker's ids, and the shadow destination, null for messages that were really sent */
    private Explained settle(Connection connection, Object[] sequences, Object[] names) throws SQLException {
        boolean inOne = kind == Database.POSTGRESQL;
        Explained plan = plan(
                connection,
                settlements.moveStatement(names.length / 2),
                Stream.of(inOne ? sequences : names, inOne ? names : sequences)
                        .flatMap(Stream::of)
                        .toArray());
        connection.rollback();
        return plan;
    }

    /** The plan of a statement that is sent behind {@code planByIndex}. */
    private Explained byIndex(Connection connection, String statement, Object... parameters) throws SQLException {
        return behind(kind.dialect().planByIndex(), connection, statement, parameters);
    }

    /** The plan of a statement that is sent behind {@code planScansByIndex}. */
    private Explained scanByIndex(Connection connection, String statement, Object... parameters) throws SQLException {
        return behind(kind.dialect().planScansByIndex(), connection, statement, parameters);
    }

    private Explained behind(String options, Connection connection, String statement, Object... parameters)
            throws SQLException {
        if (kind == Database.POSTGRESQL) {
            Database.execute(connection, options);
        }
        Explained plan = plan(connection, statement, parameters);
        connection.rollback();
        return plan;
    }

    private Explained plan(Connection connection, String statement, Object... parameters) throws SQLException {
        return Explained.by(kind, connection, statement, parameters);
    }
}
