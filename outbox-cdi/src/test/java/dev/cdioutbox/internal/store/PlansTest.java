package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A million published messages, and a hundred thousand each of blocked, failed, delayed and paused ones, cost a claim, a
 * settle, a sweep and the backlog no more than a thousand do.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(
        value = Database.class,
        names = {"H2", "POSTGRESQL"})
class PlansTest {
    private static final int FEW = 1_000;
    private static final int MANY = 1_000_000;
    private static final int WAITING = 1_000;

    /** So many of those that are published there are of each kind that has to wait. */
    private static final int WAIT = 10;

    private static final int PARTITIONS = 4;

    /** What counts up to a limit, or looks at no more than so many gates, may read that much. */
    private static final Map<String, Integer> LIMITED = Map.of(
            "counts",
            25_000,
            "oldest",
            12_000,
            // Each row that is looked at is looked up among the gates.
            "followers",
            4 * GateStatements.MOVED_AT_ONCE);

    private final Database kind;
    private final Statements sql;
    private final GateStatements gates;
    private final PartitionStatements partitions;
    private final BacklogStatements backlog;

    PlansTest(Database kind) {
        this.kind = kind;
        this.sql = new Statements(TestDatabase.PREFIX, kind.dialect());
        this.gates = new GateStatements(TestDatabase.PREFIX, kind.dialect());
        boolean floors = kind.dialect().tellsWriters();
        this.partitions = new PartitionStatements(TestDatabase.PREFIX, kind.dialect(), floors);
        this.backlog = floors
                ? BacklogStatements.withFloors(TestDatabase.PREFIX, kind.dialect())
                : BacklogStatements.of(TestDatabase.PREFIX, kind.dialect());
    }

    @Test
    void costOfAStatementDoesNotGrowWithWhatIsKept() throws SQLException {
        Map<String, Plan> few = plans(FEW);
        Map<String, Plan> many = plans(MANY);

        many.forEach((name, plan) -> {
            assertThat(plan.text())
                    .as("%s on %s", name, kind)
                    .doesNotContain("Seq Scan on shop_message", "tableScan */");
            if (plan.pages() >= 0) {
                assertThat(plan.pages())
                        .as("pages or rows that '%s' reads on %s; plan: %s", name, kind, plan.text())
                        // A tree of a thousand times as many rows is one or two levels higher.
                        .isLessThanOrEqualTo(3 * few.get(name).pages() + 100 + LIMITED.getOrDefault(name, 0));
            }
        });
    }

    private Map<String, Plan> plans(int published) throws SQLException {
        try (TestDatabase database = kind == Database.H2 ? new TestDatabase() : new TestDatabase(kind)) {
            JdbcOutboxStore store = database.open(PARTITIONS);
            fill(database, published);
            fillWaiting(database, published / WAIT);
            store.operations().pause("audit", true, "ada");
            store.write(numbered(0, WAITING, 50));
            if (kind == Database.POSTGRESQL) {
                database.update("ANALYZE");
            }
            List<String> sequences =
                    database.query("SELECT seq FROM shop_message WHERE payload_bytes < 4 ORDER BY seq");
            String queue = database.query("SELECT MAX(queue_id) FROM shop_message WHERE payload_bytes < 4")
                    .get(0);
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                return explain(connection, published, Integer.parseInt(queue), sequences);
            }
        }
    }

    private Map<String, Plan> explain(Connection connection, int published, int queue, List<String> waiting)
            throws SQLException {
        if (kind == Database.POSTGRESQL && published == FEW) {
            // So little is read whole for good reason; but then there would be nothing to compare.
            try (PreparedStatement set = connection.prepareStatement("SET enable_seqscan = off")) {
                set.execute();
            }
        }
        Object[] sequences = waiting.subList(0, 512).stream().map(Long::valueOf).toArray();
        Map<String, Plan> plans = new LinkedHashMap<>();
        plans.put("candidates", plan(connection, partitions.candidates, candidates(DESTINATION)));
        plans.put("read", plan(connection, sql.readQueues(1), (long) queue, 0L, 100));
        plans.put("paused", plan(connection, partitions.candidates, candidates("audit")));
        plans.put("due gates", plan(connection, gates.due(1), queue, 64));
        plans.put("followers", plan(connection, gates.followers, queue, 0L));
        plans.put("promote", plan(connection, sql.promote, delayed(connection)));
        plans.put("settle", plan(connection, sql.settle(512, 0, false), notShadowed(sequences)));
        List<Object> named = new ArrayList<>(List.of("shadow"));
        List.of(sequences).forEach(sequence -> named.addAll(List.of(sequence, "ID:" + sequence)));
        named.addAll(List.of(sequences));
        plans.put("settle by name", plan(connection, sql.settle(512, 512, false), named.toArray()));
        plans.put("leave", plan(connection, sql.leave(512), sequences));
        plans.put(
                "sweep",
                plan(connection, sql.sweepable, "shop", -1000L, -1000L, -1000L, published / 2L, Long.MAX_VALUE, 500));
        List<Object> over = new ArrayList<>(List.of("shop", 0L, 0L));
        for (long i = 0; i < 512; i++) {
            over.add(published / 2L + i);
        }
        plans.put("lock to sweep", plan(connection, sql.lockSweepable(512), over.toArray()));
        plans.put(
                "remove",
                plan(connection, sql.remove(512), over.subList(3, over.size()).toArray()));
        plans.put("counts", plan(connection, backlog.counts, backlog(backlog.counts)));
        plans.put("oldest", plan(connection, backlog.oldest, backlog(backlog.oldest)));
        plans.put("strangers", plan(connection, sql.strangers, "other"));
        connection.rollback();
        return plans;
    }

    private Object[] candidates(String destination) {
        return kind.dialect().tellsWriters()
                ? new Object[] {"shop", destination, "{0,0,0,0}", "{}", 0, 16}
                : new Object[] {"shop", destination, 0, 16};
    }

    private Object[] backlog(String statement) {
        int parameters = (int) statement.chars().filter(c -> c == '?').count();
        List<Object> all = new ArrayList<>(kind.dialect().tellsWriters() ? List.of("{}", "{}", "{}") : List.of());
        all.addAll(Collections.nCopies(parameters - all.size(), "shop"));
        return all.toArray();
    }

    /** Where the messages went instead of their destination is the first parameter. */
    private static Object[] notShadowed(Object[] sequences) {
        List<Object> parameters = new ArrayList<>();
        parameters.add(null);
        parameters.addAll(List.of(sequences));
        return parameters.toArray();
    }

    private Object[] delayed(Connection connection) throws SQLException {
        String query = "SELECT id FROM shop_partition WHERE partition_no = -1 AND destination = 'default'";
        try (PreparedStatement select = connection.prepareStatement(query);
                ResultSet row = select.executeQuery()) {
            row.next();
            return Collections.nCopies(sql.promoteParameters, row.getLong(1)).toArray();
        }
    }

    private Plan plan(Connection connection, String statement, Object... parameters) throws SQLException {
        boolean changes = !statement.stripLeading().startsWith("SELECT") && !statement.startsWith("(");
        String explain = kind == Database.POSTGRESQL
                ? "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) "
                : changes ? "EXPLAIN " : "EXPLAIN ANALYZE ";
        try (PreparedStatement select = connection.prepareStatement(explain + statement)) {
            for (int i = 0; i < parameters.length; i++) {
                select.setObject(i + 1, parameters[i]);
            }
            StringBuilder text = new StringBuilder();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    text.append(rows.getString(1)).append('\n');
                }
            }
            return new Plan(
                    text.toString(), kind == Database.POSTGRESQL ? buffers(text) : changes ? -1 : scanned(text));
        }
    }

    /** Those of the whole statement stand first. */
    private static long buffers(CharSequence plan) {
        Matcher line = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?")
                .matcher(plan);
        return line.find() ? number(line.group(1)) + number(line.group(2)) : 0;
    }

    private static long scanned(CharSequence plan) {
        long sum = 0;
        Matcher counts = Pattern.compile("scanCount: (\\d+)").matcher(plan);
        while (counts.find()) {
            sum += number(counts.group(1));
        }
        return sum;
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    private void fill(TestDatabase database, int published) {
        String series = kind == Database.H2 ? "SYSTEM_RANGE(1, ?) s(x)" : "generate_series(1, ?) s(x)";
        String id = kind == Database.H2 ? "LPAD(s.x, 36, '0')" : "LPAD(CAST(s.x AS TEXT), 36, '0')";
        database.update("""
                INSERT INTO shop_message (message_id, application, event_type, schema_version, message_key, partition_no,
                  destination, content_type, payload, payload_bytes, occurred_at, status, published_at)
                SELECT %s, 'shop', 'OrderPlaced', 1, 'key', 0, 'default', 'text/plain', 'text', 4, CURRENT_TIMESTAMP,
                  'PUBLISHED', CURRENT_TIMESTAMP FROM %s""".formatted(id, series), published);
    }

    /** A key with as many followers, as many keys of which each has failed, delayed messages, and a destination's that is paused. */
    private void fillWaiting(TestDatabase database, int count) {
        String partition = "(SELECT MIN(id) FROM shop_partition WHERE destination = '%s' AND partition_no %s)";
        String own = partition.formatted("default", ">= 0");
        database.update("INSERT INTO shop_gate (queue_id, message_key, due_at) VALUES (" + own + ", 'blocked', NULL)");
        String gate = "(SELECT MAX(id) FROM shop_gate)";
        fill(database, count, "b", "'blocked'", gate, "'PENDING'", "NULL");
        database.update("UPDATE shop_message SET status = 'ABANDONED' WHERE seq ="
                + " (SELECT MIN(seq) FROM shop_message WHERE message_key = 'blocked')");
        String later = kind == Database.H2 ? "DATEADD(HOUR, 1, CURRENT_TIMESTAMP)" : "now() + INTERVAL '1 hour'";
        database.update(
                "INSERT INTO shop_gate (queue_id, message_key, due_at) SELECT " + own + ", CONCAT('f', s.x), " + later
                        + " FROM " + series(),
                count);
        // They were numbered after the first.
        String each = "(SELECT MIN(id) FROM shop_gate) + s.x";
        fill(database, count, "f", "CONCAT('f', s.x)", each, "'FAILED'", later);
        fill(database, count, "d", "'delayed'", partition.formatted("default", "= -1"), "'PENDING'", later);
        fill(database, count, "p", "'paused'", partition.formatted("audit", ">= 0"), "'PENDING'", "NULL");
    }

    private String series() {
        return kind == Database.H2 ? "SYSTEM_RANGE(1, ?) s(x)" : "generate_series(1, ?) s(x)";
    }

    private void fill(
            TestDatabase database,
            int count,
            String prefix,
            String key,
            String queue,
            String status,
            String availableAt) {
        String number = kind == Database.H2 ? "s.x" : "CAST(s.x AS TEXT)";
        database.update("""
                INSERT INTO shop_message (message_id, application, event_type, schema_version, message_key, partition_no,
                  destination, queue_id, content_type, payload, payload_bytes, occurred_at, status, available_at)
                SELECT CONCAT('%s', LPAD(%s, 35, '0')), 'shop', 'OrderPlaced', 1, %s, 0, 'default', %s, 'text/plain', 'text',
                  4, CURRENT_TIMESTAMP, %s, %s FROM %s""".formatted(prefix, number, key, queue, status, availableAt, series()), count);
    }

    /** @param pages pages or rows read; negative if not known */
    private record Plan(String text, long pages) {}
}
