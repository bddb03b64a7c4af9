package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Guards the order in which received messages are stored, and what becomes of one that is set aside. */
class AcceptedMessagesTest extends StoreContract {
    private final JdbcOutboxStore store = database.open(4);

    @AutoClose("shutdownNow")
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    AcceptedMessagesTest(Database kind) {
        super(kind);
    }

    /** Otherwise a handler could get the second one first, whose transaction may end earlier. */
    @Test
    void secondMessageOfAKeyWaitsForTheTransactionOfTheFirst() throws Exception {
        try (TransactionSource early = new TransactionSource(database.dataSource());
                TransactionSource late = new TransactionSource(database.dataSource())) {
            JdbcOutboxStore first = open(early);
            JdbcOutboxStore second = open(late);
            early.begin();
            first.accepted().store(message("order-1", "one"), true);
            late.begin();
            Future<?> waiting = other.submit(() -> {
                second.accepted().store(message("order-1", "two"), true);
                late.commit();
                return null;
            });
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> waiting.isDone()
                            || !database.query(database.kind().blocked()).equals(List.of("0")));
            assertThat(waiting.isDone()).isFalse();

            early.commit();
            waiting.get();
        }
        assertThat(database.query("SELECT payload FROM shop_message ORDER BY seq"))
                .containsExactly("one", "two");
    }

    @Test
    void messageThatIsSetAsideIsAbandonedWithItsReasonAndDoesNotBlockItsKey() {
        store.accepted().setAside(message("order-1", "late"), "it is late");
        store.accepted().store(message("order-1", "next"), true);

        assertThat(claimed()).containsExactly("next");
        OutboxMessage late = store.finder()
                .find(OutboxFilter.all().withStatus(OutboxStatus.ABANDONED), OutboxPageRequest.of(10))
                .get(0);
        assertThat(late.body().text()).isEqualTo("late");
        assertThat(late.delivery().lastError()).isEqualTo("it is late");
        assertThat(late.delivery().attempts()).isZero();
    }

    @Test
    void operatorCanLetAMessageInThatWasSetAside() {
        store.accepted().setAside(message("order-1", "late"), "it is late");

        TestMessages.change(store, MessageOperation.RETRY, OutboxFilter.all().withKey("order-1"));
        assertThat(claimed()).containsExactly("late");
    }

    @Test
    void storedMessageIsFoundByItsId() {
        NewMessage message = message("order-1", "one");
        assertThat(store.accepted().isStored(message.id())).isFalse();

        store.accepted().store(message, false);
        assertThat(store.accepted().isStored(message.id())).isTrue();
    }

    private List<String> claimed() {
        try (Claim claim = TestMessages.claim(store, limits(64, 10, 10_000))) {
            return claim.messages().stream().map(each -> each.body().text()).toList();
        }
    }

    private static JdbcOutboxStore open(TransactionSource transaction) {
        StoreConfig config = new StoreConfig(
                "jdbc/shop",
                SchemaMode.NONE,
                TestDatabase.PREFIX,
                "shop",
                4,
                Ordering.ROW_LOCK,
                null,
                StoreConfig.Cdc.NONE);
        return JdbcOutboxStore.open(transaction.dataSource(), config, Set.of(DESTINATION));
    }
}
