package dev.cdioutbox.internal.operate;

import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.operate.TransactionalOperations.Change;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.EachDatabase;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxChange;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Guards that an operation changes the messages that it found, and no messages that match since then. */
@ParameterizedClass
@EachDatabase
class ExactOperationTest {
    @AutoClose
    private final TestDatabase database;

    private final JdbcOutboxStore store;
    private final List<Integer> written = new ArrayList<>();

    ExactOperationTest(Database kind) {
        database = new TestDatabase(kind);
        store = database.open(4);
    }

    /** An erasure refuses a filter that names nobody. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ERASE")
    void laterMatchesDoNotReplaceTheFoundMessages(MessageOperation operation) {
        store.capture().write(keyed("0", "1", "2", "3", "4", "5"));
        Long one = database.sequence("1");
        Long three = database.sequence("3");
        OutboxStatus right = operation == MessageOperation.RETRY
                ? OutboxStatus.ABANDONED
                : operation == MessageOperation.DISCARD ? OutboxStatus.PENDING : OutboxStatus.PUBLISHED;
        OutboxStatus wrong = operation == MessageOperation.DISCARD ? OutboxStatus.PUBLISHED : OutboxStatus.PENDING;
        set(right, "payload IN ('1', '3', '5')");
        set(wrong, "payload IN ('0', '2', '4')");

        OutboxChange done = operations(() -> set(right, "1 = 1"))
                .executeBatch(operation, OutboxFilter.all(), OutboxPageRequest.of(2), null);

        assertThat(done.changed()).isEqualTo(2);
        assertThat(done.next())
                .isEqualTo(OutboxPageRequest.of(2).withAfter(three).withBefore(database.sequence("5") + 1));
        assertThat(database.query("SELECT seq FROM shop_audit_message"))
                .containsExactlyInAnyOrder(one.toString(), three.toString());
        OutboxPageRequest next = OutboxPageRequest.of(3).withAfter(three);
        assertThat(operations(() -> {}).executeBatch(operation, OutboxFilter.all(), next, null))
                .isEqualTo(new Change(2, null));
    }

    /** The operation holds a limited number of payloads at a time. */
    @Test
    void copiesAreMadeOfSomeMessagesAtATimeAndOfAllInTheEnd() {
        store.capture().write(numbered(0, 120, 120));
        set(OutboxStatus.PUBLISHED, "1 = 1");

        assertThat(operations(() -> {})
                        .replayAsNew(OutboxFilter.all(), OutboxPageRequest.of(1000))
                        .changed())
                .isEqualTo(120);
        assertThat(written).containsExactly(50, 50, 20);
    }

    private void set(OutboxStatus status, String where) {
        switch (status) {
            case PENDING -> database.requeue(where);
            case ABANDONED -> database.updateQueue("status = 2, queue_id = -ABS(queue_id)", where);
            default -> database.settle(status, where);
        }
    }

    /** @param meanwhile runs between the search and the change */
    private TransactionalOperations operations(Runnable meanwhile) {
        AtomicInteger connections = new AtomicInteger();
        DataSource hooked = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    // The search takes the first connection.
                    if (method.getName().equals("getConnection") && connections.getAndIncrement() == 1) {
                        meanwhile.run();
                    }
                    return method.invoke(database.dataSource(), arguments);
                });
        JdbcOutboxStore hookedStore = JdbcOutboxStore.open(
                hooked, TestDatabase.config(SchemaMode.NONE, "shop", 4), Set.of(TestMessages.DESTINATION));
        connections.set(0);
        return new TestOperations(hookedStore, messages -> {
            hookedStore.capture().write(messages);
            written.add(messages.size());
        });
    }
}
