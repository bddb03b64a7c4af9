package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.inbox.Position;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.Test;

/**
 * Guards that each connection goes back to the application's pool with its auto-commit and isolation restored, also
 * after a failure.
 */
class PooledConnectionsTest extends StoreContract {
    private static final ClaimLimits ALL = limits(8, 500, 1_000_000);
    private static final ThisNode NODE = new ThisNode("n", "shop", "host", "server", 1, "1.0");

    private static final Duration MOMENT = Duration.ofMillis(1);

    private static final List<Operation> OPERATIONS = List.of(
            new Operation("writing messages", (store, a) -> store.capture().write(keyed("b"))),
            new Operation("claiming messages", (store, a) -> claim(store, ALL).close()),
            new Operation("looking for messages in doubt", (store, a) -> store.pendingRows()
                    .lockable(Set.of(a))),
            new Operation(
                    "moving delayed messages", (store, a) -> store.delayed().release(DESTINATION)),
            new Operation("settling messages", (store, a) -> store.settlements().settleSent(sent(List.of(a)))),
            new Operation("settling messages", (store, a) -> store.settlements()
                    .settleUnsent(unsent(List.of(a), List.of(), RetentionConfig.DEFAULT))),
            new Operation(
                    "settling messages", (store, a) -> store.settlements().settleUnsent(unsent(List.of(failed(a))))),
            new Operation("purging messages", (store, a) -> store.purge().removeNext(RetentionConfig.DEFAULT, 0)),
            new Operation("settling messages", (store, a) -> store.settlements()
                    .settleSent(sent(List.of(a), keeping(ZERO, false)))),
            new Operation("purging messages", OutboxStatus.PUBLISHED, (store, a) -> store.purge()
                    .removeNext(keeping(MOMENT, false), 0)),
            new Operation("purging messages", OutboxStatus.PUBLISHED, (store, a) -> store.purge()
                    .removeNext(keeping(MOMENT, true), 0)),
            new Operation(
                    "changing messages", (store, a) -> store.operations().change(MessageOperation.DISCARD, List.of(a))),
            new Operation("changing messages", OutboxStatus.PUBLISHED, (store, a) -> store.operations()
                    .change(MessageOperation.REPLAY, List.of(a))),
            new Operation("pausing", (store, a) -> store.operations().pause("nowhere", true, "somebody")),
            new Operation(
                    "writing the audit",
                    (store, a) -> store.operations().audit().insert("somebody", null, "RETRY", "all", 1, List.of(1L))),
            new Operation(
                    "noting a message as handled", (store, a) -> store.inbox().enter("consumer", String.valueOf(a))),
            new Operation("noting how far a key has come", (store, a) -> store.inbox()
                    .advance("consumer", "key", new Position(a, null))),
            new Operation("purging the inbox", (store, a) -> store.inbox().purge(Duration.ofDays(7), 100)),
            new Operation(
                    "inserting the row of a probe", (store, a) -> store.probes().insert()),
            new Operation(
                    "settling the row of a probe", (store, a) -> store.probes().settle(a, RetentionConfig.DEFAULT)),
            new Operation(
                    "deleting the row of a probe", (store, a) -> store.probes().delete(a)),
            new Operation("deleting a node's row", (store, a) -> store.nodes().delete("n")),
            new Operation("counting a send", (store, a) -> store.pendingRows().countUnfinishedSend(a, 1)),
            new Operation("reading the nodes' rows", (store, a) -> store.nodes().all()),
            new Operation("writing this node's row", (store, a) -> store.nodes().writeHeartbeat(NODE, 0)),
            new Operation("reading the backlog", (store, a) -> store.status().backlog()),
            new Operation("looking for messages", (store, a) -> store.finder()
                    .find(OutboxFilter.all(), OutboxPageRequest.of(100))));

    private final WatchedSource pool = new WatchedSource(database.dataSource(), Connection.TRANSACTION_READ_COMMITTED);
    private final AtomicLong nanos = new AtomicLong();
    /** Its clock advances by an hour with each call, so that all periodic queries are always due. */
    private final JdbcOutboxStore store = JdbcOutboxStore.open(
            pool.dataSource(),
            TestDatabase.config(SchemaMode.CREATE, "shop", 8),
            Set.of(DESTINATION),
            () -> nanos.addAndGet(Duration.ofHours(1).toNanos()));

    PooledConnectionsTest(Database kind) {
        super(kind);
    }

    /** @param first what became of the message before the work; null if it waits */
    record Operation(String name, OutboxStatus first, BiConsumer<JdbcOutboxStore, Long> work) {
        Operation(String name, BiConsumer<JdbcOutboxStore, Long> work) {
            this(name, null, work);
        }
    }

    @Test
    void connectionGoesBackAsItCame() {
        for (Operation operation : OPERATIONS) {
            database.deleteMessages();
            write(operation);

            operation.work().accept(store, database.sequence("a"));

            assertThatAllAreBack(operation);
        }
    }

    @Test
    void failureNamesWhatFailedAndTheConnectionGoesBackToo() {
        database.update("DROP TABLE shop_message CASCADE");
        List.of("queue", "delivery", "archive", "node", "inbox", "inbox_key", "control", "audit")
                .forEach(table -> database.update("DROP TABLE shop_" + table));

        for (Operation operation : OPERATIONS) {
            assertThatThrownBy(() -> operation.work().accept(store, 1L))
                    .as(operation.name())
                    .isInstanceOf(OutboxException.class)
                    .hasMessageStartingWith("OBX-0302: " + operation.name())
                    .satisfies(
                            e -> assertThat(e.getMessage()).containsPattern("not found|does not exist|doesn't exist"));

            assertThatAllAreBack(operation);
        }
    }

    private void write(Operation operation) {
        store.capture().write(keyed("a"));
        if (operation.first() != null) {
            database.settle(operation.first(), "1 = 1");
            // A time in this very millisecond would be too young for the purge.
            database.setTime("delivery", "settled_at", Instant.now().minusSeconds(60), "1 = 1");
            database.setTime("message", "created_at", Instant.now().minusSeconds(60), "1 = 1");
        }
    }

    private static RetentionConfig keeping(Duration published, boolean archives) {
        return new RetentionConfig(published, Duration.ofDays(30), archives, false);
    }

    private void assertThatAllAreBack(Operation operation) {
        assertThat(pool.givenBack())
                .as(operation.name())
                .hasSize(pool.taken())
                .containsOnly("auto-commit, isolation 2, time limit 0");
    }

    private static Retry failed(long sequence) {
        return new Retry(sequence, OutboxStatus.FAILED, 1, Duration.ofHours(1), "no", true);
    }
}
