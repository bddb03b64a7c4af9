package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A million published messages cost a claim, a settle, a sweep and the backlog no more than a thousand do. */
@ParameterizedClass(name = "{0}")
@EnumSource(Database.class)
class PlansTest {
    private static final int FEW = 1_000;
    private static final int WAITING = 1_000;
    private static final int PARTITIONS = 4;

    private final Database kind;
    private final Statements sql;

    /** How many messages are published, of those that the many are compared with. */
    int many() {
        return 1_000_000;
    }

    /** In memory where that is possible. */
    TestDatabase fresh() {
        return kind == Database.H2 ? new TestDatabase() : new TestDatabase(kind);
    }

    /** What else stands in the table and has to wait, or is given up. */
    void fillMore(TestDatabase database, int queue) {
        // nothing: the long form does
    }

    PlansTest(Database kind) {
        this.kind = kind;
        this.sql = new Statements(TestDatabase.PREFIX, kind.dialect());
    }

    @Test
    void costOfAStatementDoesNotGrowWithWhatIsKept() throws SQLException {
        Map<String, Plan> few = plans(FEW);
        Map<String, Plan> many = plans(many());

        many.forEach((name, plan) -> {
            assertThat(plan.text())
                    .as("%s on %s", name, kind)
                    .doesNotContain("Seq Scan on shop_message", "tableScan */");
            if (plan.pages() >= 0) {
                assertThat(plan.pages())
                        .as("pages or rows that '%s' reads on %s; plan: %s", name, kind, plan.text())
                        // A tree of a thousand times as many rows is one or two levels higher.
                        .isLessThanOrEqualTo(3 * few.get(name).pages() + 100);
            }
        });
    }

    private Map<String, Plan> plans(int published) throws SQLException {
        try (TestDatabase database = fresh()) {
            JdbcOutboxStore store = database.open(PARTITIONS);
            fill(database, published);
            if (published > FEW) {
                fillMore(
                        database,
                        Integer.parseInt(
                                database.query("SELECT MIN(id) FROM shop_partition WHERE destination = 'default'")
                                        .get(0)));
            }
            store.write(numbered(0, WAITING, 50));
            if (kind != Database.H2) {
                Database.execute(
                        database.dataSource(), kind == Database.MARIADB ? "ANALYZE TABLE shop_message" : "ANALYZE");
            }
            List<String> sequences = database.query(
                    "SELECT seq FROM shop_message WHERE status = 'PENDING' AND payload <> 'text' ORDER BY seq");
            String queue = database.query("SELECT MAX(queue_id) FROM shop_message WHERE payload <> 'text'")
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
        plans.put("candidates", plan(connection, sql.candidates, "shop", DESTINATION, 0, 16));
        plans.put("read", plan(connection, sql.readQueues(1), queue, 0L, 100));
        plans.put("settle", plan(connection, sql.settle(512, false), withShadow(sequences)));
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
        plans.put("counts", plan(connection, sql.backlogCounts, "shop", 10_000, "shop", 10_000));
        plans.put("oldest", plan(connection, sql.backlogOldest, "shop"));
        plans.put("strangers", plan(connection, sql.strangers, "other"));
        plans.put("find abandoned", find(connection, OutboxStatus.ABANDONED));
        plans.put("find failed and pending", find(connection, OutboxStatus.FAILED, OutboxStatus.PENDING));
        connection.rollback();
        return plans;
    }

    /** As for a page of a list. */
    private Plan find(Connection connection, OutboxStatus... statuses) throws SQLException {
        Conditions conditions = new Conditions(kind.dialect(), "shop")
                .all(OutboxFilter.all().withKey("no such key").withStatus(statuses));
        List<Object> parameters = new ArrayList<>(List.of("shop", "no such key"));
        OutboxFilter.all().withStatus(statuses).statuses().forEach(status -> parameters.add(status.name()));
        parameters.add(100);
        return plan(
                connection,
                sql.find + conditions + " ORDER BY seq DESC " + kind.dialect().first("?"),
                parameters.toArray());
    }

    private static Object[] withShadow(Object[] sequences) {
        Object[] all = new Object[sequences.length + 1];
        System.arraycopy(sequences, 0, all, 1, sequences.length);
        return all;
    }

    private Plan plan(Connection connection, String statement, Object... parameters) throws SQLException {
        if (kind == Database.MARIADB) {
            return run(connection, statement, parameters);
        }
        boolean changes = !statement.stripLeading().startsWith("SELECT") && !statement.startsWith("(");
        String explain = kind == Database.POSTGRESQL
                ? "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) "
                : changes ? "EXPLAIN " : "EXPLAIN ANALYZE ";
        String text = text(connection, explain + statement, parameters);
        return new Plan(text, kind == Database.POSTGRESQL ? buffers(text) : changes ? -1 : scanned(text));
    }

    /** It counts what a session reads, so the statement is run, and its plan looked at besides. */
    private static Plan run(Connection connection, String statement, Object... parameters) throws SQLException {
        String plan = text(connection, "EXPLAIN FORMAT=JSON " + statement, parameters);
        Database.execute(connection, "FLUSH STATUS");
        try (PreparedStatement prepared = connection.prepareStatement(statement)) {
            bind(prepared, parameters);
            prepared.execute();
        }
        long rows = 0;
        try (PreparedStatement counts = connection.prepareStatement("SHOW SESSION STATUS LIKE 'Handler_read%'");
                ResultSet row = counts.executeQuery()) {
            while (row.next()) {
                rows += row.getLong(2);
            }
        }
        boolean wholeTable = Pattern.compile("\"table_name\": \"(shop_message|m)\",\\s+\"access_type\": \"ALL\"")
                .matcher(plan)
                .find();
        return new Plan(wholeTable ? plan + "tableScan */" : plan, rows);
    }

    private static String text(Connection connection, String query, Object... parameters) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(query)) {
            bind(select, parameters);
            StringBuilder text = new StringBuilder();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    text.append(rows.getString(1)).append('\n');
                }
            }
            return text.toString();
        }
    }

    private static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
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
        fill(database, published, 0, "'PUBLISHED'", "NULL");
    }

    void fill(TestDatabase database, int count, long from, String status, String queue) {
        String series = kind == Database.POSTGRESQL
                ? "generate_series(1, %d) s(x)"
                : kind == Database.H2 ? "SYSTEM_RANGE(1, %d) s(x)" : "(SELECT seq AS x FROM seq_1_to_%d) s";
        database.update("""
                INSERT INTO shop_message (message_id, application, event_type, schema_version, message_key, partition_no,
                  destination, queue_id, content_type, payload, payload_bytes, occurred_at, status, published_at)
                SELECT LPAD(CAST(s.x + %d AS CHAR(12)), 36, '0'), 'shop', 'OrderPlaced', 1, 'key', 0, 'default', %s,
                  'text/plain', 'text', 4, CURRENT_TIMESTAMP, %s, CURRENT_TIMESTAMP FROM %s""".formatted(from, queue, status, series.formatted(count)));
    }

    /** @param pages pages or rows read; negative if not known */
    private record Plan(String text, long pages) {}
}
