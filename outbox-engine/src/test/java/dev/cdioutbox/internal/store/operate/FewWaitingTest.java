package dev.cdioutbox.internal.store.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.BulkRows;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.Explained;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards that an operator's query for a few waiting messages reads no published ones. This must also hold with
 * statistics from an outage, when many messages waited.
 */
@Tag("full")
class FewWaitingTest extends StoreContract {
    private static final int WAITING = 300;
    private static final int LIMIT = 100;
    private static final OutboxPageRequest ALL = OutboxPageRequest.of(LIMIT);

    /** In pages or rows: some for each of the four kinds of waiting messages, to look a row up by its key. */
    private static final long MOST_READ = 4L * 5 * WAITING;

    private final Dialect dialect = database.kind().dialect();
    private final MessageFinder finder =
            new MessageFinder(null, "shop", new Sql(TestDatabase.PREFIX, dialect), MessageFinder.ROWS);

    FewWaitingTest(Database kind) {
        super(kind);
    }

    @Test
    void queryForWaitingMessagesReadsNoPublishedOnes() throws SQLException {
        database.open(4);
        BulkRows crowd = new BulkRows(database);
        // H2 inserts more rows too slowly.
        crowd.published(database.kind() == Database.H2 ? 20_000 : 80_000);
        if (database.kind() == Database.POSTGRESQL) {
            outage(crowd);
        }
        crowd.waiting(WAITING);

        Map<String, Explained> plans = new LinkedHashMap<>();
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            OutboxFilter key = OutboxFilter.all().withKey("f7");
            for (MessageOperation change : List.of(MessageOperation.RETRY, MessageOperation.DISCARD)) {
                for (QueryConditions conditions :
                        List.of(all(key), all(key, ALL.withAfter(3L)), all(key.withKey("nobody")))) {
                    conditions.statuses(change.from());
                    String name = change + " " + conditions + " " + conditions.parameters();
                    plans.put(name, plan(connection, finder.candidates(conditions), conditions));
                    plans.put("count " + name, plan(connection, finder.countCandidates(conditions), conditions));
                }
            }
            for (OutboxStatus status : List.of(OutboxStatus.PENDING, OutboxStatus.FAILED, OutboxStatus.ABANDONED)) {
                QueryConditions conditions = all(OutboxFilter.all().withStatus(status));
                plans.put("list " + status, plan(connection, finder.newest(conditions, false), conditions));
            }
            connection.rollback();
        }

        assertThat(plans).allSatisfy((name, plan) -> {
            assertThat(plan.readsWhole()).as(plan.plan()).isFalse();
            assertThat(plan.reads()).as(plan.plan()).isLessThan(MOST_READ);
        });
    }

    /** Half of all messages wait during the ANALYZE, and are published after the outage. */
    private void outage(BulkRows crowd) {
        crowd.unclaimed(40_000);
        database.updateQueue("status = 1", "1 = 1");
        crowd.analyze();
        database.settle(OutboxStatus.PUBLISHED, "1 = 1");
        database.update("VACUUM shop_queue");
    }

    private Explained plan(Connection connection, String statement, QueryConditions conditions) throws SQLException {
        List<Object> parameters = conditions.parameters().values().stream()
                .flatMap(value -> value instanceof Collection<?> list ? list.stream() : Stream.of(value))
                .collect(Collectors.toCollection(ArrayList::new));
        parameters.add(LIMIT);
        return Explained.by(database.kind(), connection, statement, parameters.toArray());
    }

    private QueryConditions all(OutboxFilter filter) {
        return all(filter, ALL);
    }

    private QueryConditions all(OutboxFilter filter, OutboxPageRequest range) {
        return QueryConditions.byQueue(dialect, "shop").matching(filter, range);
    }
}
