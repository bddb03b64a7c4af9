package dev.cdioutbox.compliance;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.WholeLifeContract;
import dev.cdioutbox.internal.store.EveryStatement;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards the requirements of the outbox on a database that the project itself cannot run: see docs/compliance.md. */
@DisplayName("The outbox on your database")
@Tag("database")
public class StoreComplianceTest extends WholeLifeContract {
    private static final UserDatabase DATABASE = new UserDatabase();
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final int LARGE = 1_000_000;
    private static final int ROWS = 500;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);

    StoreComplianceTest() {
        super(DATABASE, freshPrefix(), "lock");
    }

    /** Each test has tables of its own, so that no test has to empty them. */
    private static String freshPrefix() {
        return "obx" + Long.toString(System.currentTimeMillis() % 1_000_000, 36) + NUMBER.incrementAndGet() + "_";
    }

    @AfterEach
    void dropTables() throws SQLException {
        DATABASE.dropTables(tablePrefix());
    }

    @Test
    void everyStatementIsTaken() {
        EveryStatement.run(store());
    }

    @Test
    void textsComeBackAsTheyWereWritten() {
        List<String> all = List.of("", " ", "plain", "ä ß 🫖 'quoted' \"twice\"", "line\nline", "x".repeat(LARGE));
        all.forEach(text -> store().capture().write(List.of(message("key", text))));

        assertThat(store().finder().find(OutboxFilter.all(), OutboxPageRequest.of(100)))
                .extracting(stored -> stored.body().text())
                .containsExactlyInAnyOrderElementsOf(all);
        assertThat(claimed()).containsExactlyElementsOf(all);
    }

    @Test
    void keysThatDifferInOneCharacterAreDifferentKeys() {
        List<String> keys = List.of("a", "A", "ä", "a ", " a", "aa", "");
        store().capture().write(keyed(keys.toArray(String[]::new)));

        for (String key : keys) {
            assertThat(store().finder().find(OutboxFilter.all().withKey(key), OutboxPageRequest.of(100)))
                    .extracting(OutboxMessage::orderingKey)
                    .as("the key '%s'", key)
                    .containsExactly(key);
        }
    }

    @Test
    void twoClaimsAtATimeShareNoMessageAndDoNotWaitForEachOther() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            keys.add("key " + i);
        }
        store().capture().write(keyed(keys.toArray(String[]::new)));

        try (Claim first = TestMessages.claim(
                        store(),
                        store().claims().rowLocks(DESTINATION),
                        0,
                        limits(2),
                        store().pendingRows()::lockable);
                Claim second = TestMessages.claim(
                        store(),
                        store().claims().rowLocks(DESTINATION),
                        0,
                        limits(2),
                        store().pendingRows()::lockable)) {
            assertThat(first.messages()).isNotEmpty();
            assertThat(second.messages()).isNotEmpty();
            assertThat(texts(first.messages())).doesNotContainAnyElementsOf(texts(second.messages()));
        }
    }

    @Test
    void claimDoesNotWaitForATransactionThatIsWriting() throws Exception {
        store().capture().write(keyed("committed"));

        inTransaction(() -> {
            store().capture().write(keyed("not yet"));
            // Another thread has another connection.
            assertThat(CompletableFuture.supplyAsync(this::claimed).get(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS))
                    .containsExactly("committed");
            return null;
        });

        assertThat(claimed()).containsExactlyInAnyOrder("committed", "not yet");
    }

    private List<String> claimed() {
        try (Claim claim = TestMessages.claim(
                store(), store().claims().rowLocks(DESTINATION), 0, limits(4), store().pendingRows()::lockable)) {
            return texts(claim.messages());
        }
    }

    private static ClaimLimits limits(int partitions) {
        return new ClaimLimits(PartitionRange.ALL, partitions, ROWS, 10 * LARGE);
    }
}
