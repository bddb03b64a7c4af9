package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxFilter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards the maintenance of a blocked key against an operator who acts between any two statements of the claim. */
@Tag("full")
class BlockedKeyRaceTest extends StoreContract {
    private static final ClaimLimits ALL = limits(1, 500, 1_000_000);

    private final WatchedSource watched =
            new WatchedSource(database.dataSource(), Connection.TRANSACTION_READ_COMMITTED);
    private final JdbcOutboxStore store = database.open(1);

    BlockedKeyRaceTest(Database kind) {
        super(kind);
    }

    @ParameterizedTest
    @CsvSource({"RETRY, head", "DISCARD, follower"})
    void whatAnOperatorDidIsNotLost(MessageOperation change, String next) {
        JdbcOutboxStore claiming = JdbcOutboxStore.open(
                watched.dataSource(), TestDatabase.config(SchemaMode.NONE, "shop", 1), Set.of(DESTINATION));
        int statements = 1;
        for (int moment = 1; moment <= statements; moment++) {
            String key = "key" + moment;
            waitBehindABlockedKeyThatIsDueTooEarly(key);
            OutboxFilter head = OutboxFilter.all().withKey(key).withStatus(OutboxStatus.FAILED);
            List<CompletableFuture<Integer>> operator = new ArrayList<>();
            watched.after(moment, () -> operator.add(meanwhile(change, head)));

            claim(claiming, ALL).close();

            if (operator.isEmpty()) {
                break;
            }
            statements = Math.max(statements, watched.executed());
            assertThat(operator.get(0).join()).isEqualTo(1);
            assertThat(claimed()).as("after statement %d", moment).contains(key + next);
            database.settle(OutboxStatus.PUBLISHED, "1 = 1");
        }
        assertThat(statements).as("all of a claim that puts something in order").isGreaterThan(4);
    }

    private void waitBehindABlockedKeyThatIsDueTooEarly(String key) {
        store.capture().write(List.of(message(key, key + "head"), message(key, key + "follower")));
        store.settlements()
                .settleUnsent(unsent(List.of(new Retry(
                        database.sequence(key + "head"),
                        OutboxStatus.FAILED,
                        1,
                        Duration.ofHours(1),
                        "refused",
                        true))));
        claimed();
        database.setTime("blocked_key", "due_at", Instant.now().minusSeconds(1), "message_key = '" + key + "'");
    }

    /** Starts the operator's change. Returns when the change is done or waits for a lock. */
    private CompletableFuture<Integer> meanwhile(MessageOperation change, OutboxFilter filter) {
        CompletableFuture<Integer> operator = CompletableFuture.supplyAsync(
                () -> change(store, change, filter).size());
        await().atMost(Duration.ofMinutes(1))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> operator.isDone()
                        || !database.query(database.kind().blocked()).get(0).equals("0"));
        return operator;
    }

    private List<String> claimed() {
        List<String> claimed = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            try (Claim claim = claim(store, ALL)) {
                claimed.addAll(texts(claim.messages()));
            }
        }
        return claimed;
    }
}
