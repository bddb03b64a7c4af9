package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxUnavailableException;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.EveryStatement.Kind;
import dev.cdioutbox.internal.store.EveryStatement.Step;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.transport.TopicLimits;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards that a failed statement or commit leaves nothing half done. Each statement that {@link EveryStatement} runs
 * fails once, and these must be all statements of the store. The caller gets an exception with a code, the tables are
 * unchanged, and the connection is back in the pool. The same call then succeeds.
 */
@Tag("full")
class FailingStatementTest extends StoreContract {
    private static final List<String> TABLES = List.of(
            "message",
            "queue",
            "delivery",
            "blocked_key",
            "partition",
            "archive",
            "audit",
            "control",
            "inbox",
            "inbox_key",
            "node");

    /** Longer than the periods of both watermark queries, so that both are due again. */
    private static final long PERIOD = Duration.ofMinutes(1).toNanos();

    private final WatchedSource pool = new WatchedSource(database.dataSource(), Connection.TRANSACTION_READ_COMMITTED);
    private final AtomicLong passed = new AtomicLong();
    private JdbcOutboxStore opened;
    private TransactionSource current;
    private int failures;

    FailingStatementTest(Database kind) {
        super(kind);
    }

    @Test
    void nothingIsHalfDoneWhicheverStatementFails() throws SQLException {
        JdbcOutboxStore store = opened();
        addADestination();
        failures = 0;
        try (Connection looking = database.dataSource().getConnection()) {
            EveryStatement.run(store, () -> store.claims().rowLocks(DESTINATION), step -> failAndRepeat(step, looking));
            if (database.kind() == Database.POSTGRESQL) {
                database.commitToDisk();
                waitBelowAWatermark(store, looking);
            }
        }

        assertThat(failures).isGreaterThan(150);
        assertThat(missing()).as("statements that have not failed").isEmpty();
    }

    /** An interrupted start is completed by the next one. */
    private JdbcOutboxStore opened() {
        do {
            start(++failures, Set.of(DESTINATION, "captured"));
        } while (pool.hasFailed());
        assertThat(failures).isGreaterThan(5);
        return opened;
    }

    /**
     * Each start begins anew: rows of an earlier start would let the next one skip a statement. A message waits, so that
     * the start puts rows back.
     */
    private void addADestination() {
        int failing = 0;
        start(failing, Set.of(DESTINATION, "captured", "more"));
        opened.capture().write(List.of(message("OrderPlaced", "moved", "moved", "more")));
        do {
            database.update("DELETE FROM shop_partition WHERE destination = 'more'");
            database.update("DELETE FROM shop_control WHERE destination = 'more'");
            start(++failing, Set.of(DESTINATION, "captured", "more"));
        } while (pool.hasFailed());
        assertThat(database.query("SELECT q.seq FROM shop_queue q JOIN shop_partition p ON p.id = q.queue_id"))
                .hasSize(1);
        database.deleteMessages();
    }

    private void start(int failing, Set<String> destinations) {
        StoreConfig config = new StoreConfig(
                "jdbc/shop", SchemaMode.CREATE, TestDatabase.PREFIX, "shop", 1, Ordering.STRICT, null, cdc());
        pool.failAt(failing);
        Throwable thrown =
                catchThrowable(() -> opened = JdbcOutboxStore.open(dataSource(), config, destinations, passed::get));
        if (thrown != null) {
            assertThat(pool.hasFailed())
                    .as("failed at step %d by itself: %s", failing, thrown)
                    .isTrue();
            assertThat(thrown).isInstanceOf(OutboxException.class).hasMessageMatching("(?s)OBX-03\\d\\d: .*");
        }
        assertThat(pool.givenBack()).hasSize(pool.taken());
    }

    private StoreConfig.Cdc cdc() {
        boolean isSupported = database.kind() == Database.POSTGRESQL;
        return isSupported
                ? new StoreConfig.Cdc(Map.of("captured", new TopicLimits(TopicLimits.DEFAULT, false)), "outbox")
                : StoreConfig.Cdc.NONE;
    }

    /** In each of these claims, both watermark queries are due. */
    private void waitBelowAWatermark(JdbcOutboxStore store, Connection looking) {
        Terms due = new Terms(Instant.now().minusSeconds(60), null, null);
        Runnable claim = () -> {
            passed.addAndGet(PERIOD);
            claim(store, limits(64, 500, 1_000_000)).close();
        };
        for (int attempt = 0; attempt < 20 && !missing().isEmpty(); attempt++) {
            store.capture().write(List.of(terms(message("r", "returns"), due)));
            store.capture().write(keyed("next"));
            claim.run();
            claim.run();
            failAndRepeat(
                    new Step("moving delayed messages", Kind.APART, () -> store.delayed()
                            .release(DESTINATION)),
                    looking);
            Step claiming = new Step(EveryStatement.CLAIMING, Kind.IN_PARTS, claim);
            failAndRepeat(claiming, looking);
            failAndRepeat(new Step("reading the backlog", Kind.APART, store.status()::backlog), looking);
        }
    }

    private void failAndRepeat(Step step, Connection looking) {
        Set<Integer> again = new HashSet<>();
        boolean failed = true;
        for (int failing = 1; failed; failing++) {
            String what = "'%s', failure %d".formatted(step.name(), failing);
            List<String> before = rows(step, looking);
            int open = pool.taken() - pool.givenBack().size();
            pool.failAt(failing);
            Throwable thrown = catchThrowable(() -> run(step));
            failed = pool.hasFailed();
            Optional<Integer> escaped = pool.escaped();
            pool.failAt(0);
            if (!failed) {
                assertThat(thrown).as(what).isNull();
            } else {
                failures++;
                if (thrown != null || !isNobodysFailure(step)) {
                    assertThat(thrown)
                            .as(what)
                            .isInstanceOf(OutboxUnavailableException.class)
                            .hasMessageMatching("(?s)OBX-0302: (%s).*".formatted(step.name()));
                }
                assertThat(rows(step, looking)).as(what).isEqualTo(before);
                assertThat(pool.taken() - pool.givenBack().size()).as(what).isLessThanOrEqualTo(open);
                assertThat(pool.givenBack()).as(what).containsOnly("auto-commit, isolation 2, time limit 0");
                letLeasesRunOut(step, looking);
                // A periodic query that is not due any more has moved a statement to a number that has failed.
                failing = escaped.filter(again::add).map(number -> number - 1).orElse(failing);
            }
        }
    }

    /**
     * These failures reach no caller: the close of a claim logs its failure, the periodic watermark queries run again
     * later, and each table is checked by itself if the one statement for all of them fails.
     */
    private boolean isNobodysFailure(Step step) {
        return step.name().equals("giving back a claim")
                || pool.lastFailed().startsWith("SELECT b.queue_id, b.seq")
                || pool.lastFailed().startsWith("SELECT p.id, COALESCE(f.watermark")
                || withoutSchema(pool.lastFailed()).startsWith("SELECT 1 FROM shop_schema WHERE 1 = 0")
                || pool.lastFailed().startsWith("SELECT CASE WHEN has_sequence_privilege");
    }

    private void run(Step step) {
        if (step.kind() != Kind.INSIDE) {
            step.call().run();
            return;
        }
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            connection.setAutoCommit(false);
            current = new TransactionSource(pool.watched(connection));
            try {
                step.call().run();
                assertThat(WatchedSource.timeLimit(connection)).isZero();
                connection.commit();
            } finally {
                current = null;
                connection.rollback();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The pool; within a transaction, its connection. */
    private DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) ->
                        (current == null ? pool.dataSource() : current.dataSource()).getConnection());
    }

    /** The store names the schema before each table; the catalog does not. */
    private static String withoutSchema(String statement) {
        return statement.replaceAll("[\\w\"`]+\\.shop_", "shop_");
    }

    /** All rows; for a call with several transactions, only the state of the messages. */
    private static List<String> rows(Step step, Connection looking) {
        if (step.kind() == Kind.IN_PARTS) {
            return rows("SELECT seq, status, attempts, payload, last_error FROM shop_message_view", looking);
        }
        return TABLES.stream()
                .flatMap(table -> rows("SELECT * FROM shop_" + table, looking).stream())
                .toList();
    }

    private static List<String> rows(String query, Connection looking) {
        List<String> found = new ArrayList<>();
        try (Statement select = looking.createStatement();
                ResultSet rows = select.executeQuery(query)) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                StringBuilder row = new StringBuilder();
                for (int column = 1; column <= columns; column++) {
                    row.append(rows.getString(column)).append(" | ");
                }
                found.add(row.toString());
            }
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
        Collections.sort(found);
        return found;
    }

    /**
     * Frees the partitions that a failed claim has left leased: the next claim would wait for the end of the leases.
     */
    private static void letLeasesRunOut(Step step, Connection looking) {
        if (step.kind() == Kind.IN_PARTS) {
            try {
                Database.execute(looking, "UPDATE shop_partition SET owner = NULL, leased_until = NULL");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private Set<String> missing() {
        Dialect dialect = database.kind().dialect();
        Set<String> missing = new TreeSet<>();
        List<String> failed =
                pool.failed().stream().map(FailingStatementTest::withoutSchema).toList();
        StatementCatalog.of(TestDatabase.PREFIX, dialect).forEach((name, text) -> {
            // These are built for the columns of a transaction, and for the limit of a page.
            String general =
                    switch (name) {
                        case "PostgresqlInsert.withQueueRows", "TwoStepInsert.messages" ->
                            text.substring(0, text.indexOf('('));
                        case "PostgresqlInsert.withDeliveries" -> text.substring(text.indexOf("RETURNING"));
                        case "PageReader.statement" -> text.replace("100", "%s");
                        default -> text;
                    };
            Pattern statement = Pattern.compile(
                    Arrays.stream(general.split("%s", -1)).map(Pattern::quote).collect(Collectors.joining(".*")),
                    Pattern.DOTALL);
            if (failed.stream().noneMatch(tried -> statement.matcher(tried).find())) {
                missing.add(name);
            }
        });
        if (database.kind() != Database.POSTGRESQL) {
            missing.remove("OperatorStore.destinations"); // of change data capture
        }
        if (database.kind() == Database.POSTGRESQL) {
            missing.removeAll(Set.of("PartitionClaim.lock", "KeyLocks.lockKey", "DeliveryTable.lockExpired"));
        }
        // They only read, and need a thousand blocked keys: see BacklogTest.
        missing.removeAll(Set.of("Statements.blockedKeys", "Statements.oldestOfOne"));
        return missing;
    }
}
