package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.claim.LockProbe;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.settle.Retry;
import org.junit.jupiter.api.Test;

/**
 * Guards that a waiting message holds back its key and no other key. With one partition, all keys share the same queue.
 */
class WaitingKeysTest extends StoreContract {
    private static final ClaimLimits ALL = limits(1, 500, 1_000_000);

    private final JdbcOutboxStore store = database.open(1);

    WaitingKeysTest(Database kind) {
        super(kind);
    }

    @Test
    void failedMessageHoldsBackItsKeyAndNoOther() {
        store.capture()
                .write(List.of(
                        message("a", "a1"),
                        message("a", "a2"),
                        message("b", "b1"),
                        message(null, "n1"),
                        message("a", "a3")));
        fail("a1", Duration.ofHours(1));

        assertThat(claimed(ALL)).containsExactly("b1", "n1");
    }

    @Test
    void delayIsCountedByTheClockOfTheDatabase() {
        store.capture().write(List.of(message("a", "a1")));
        fail("a1", Duration.ofMinutes(90));

        Instant attempt = database.time("last_attempt_at");
        assertThat(attempt)
                .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(600));
        assertThat(Duration.between(attempt, database.time("available_at")))
                .isBetween(
                        Duration.ofMinutes(90).minusSeconds(5),
                        Duration.ofMinutes(90).plusSeconds(5));
    }

    /** The database's clock may be set back, or a server with another clock may take over. */
    @Test
    void clockThatGoesBackwardsChangesNoOrder() {
        store.capture().write(List.of(message("a", "first"), message("a", "second")));
        database.setTime(
                "queue", "available_at", Instant.now().plusSeconds(3600), "seq = " + database.sequence("first"));

        assertThat(claimed(ALL)).containsExactly("first", "second");
    }

    @Test
    void pageFullOfWaitingRowsHidesNothingBehindIt() {
        List<NewMessage> messages = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            messages.add(message("a", "a" + i));
        }
        messages.add(message("b", "behind"));
        store.capture().write(messages);
        fail("a0", Duration.ofHours(1));

        assertThat(claimed(limits(1, 10, 1_000_000))).containsExactly("behind");
    }

    @Test
    void keyThatWaitsStillWaitsOnTheNextPage() {
        store.capture()
                .write(List.of(
                        message("a", "a0"),
                        message("a", "a1"),
                        message("a", "a2"),
                        message("b", "b0"),
                        message("a", "a3"),
                        message("b", "b1")));
        fail("a0", Duration.ofHours(1));

        assertThat(claimed(limits(1, 3, 1_000_000))).containsExactly("b0");
        assertThat(claimed(limits(1, 3, 1_000_000)))
                .as("the first claim has moved the others")
                .containsExactly("b0", "b1");
    }

    /**
     * Two transactions commit messages of one key after the claim read its first page. A larger page must not send the
     * second one first.
     */
    @Test
    void largerPageDoesNotOvertakeWhatWasCommittedSinceTheFirst() throws SQLException {
        store.capture()
                .write(List.of(
                        message("a", "a1"),
                        message("b", "b0"),
                        message("b", "b1"),
                        message("a", "a2"),
                        message("c", "c1")));
        // By the primary key: MariaDB locks each row that it reads, and another transaction holds one.
        String move = "UPDATE shop_queue /*! FORCE INDEX (PRIMARY) */ SET queue_id = -queue_id WHERE seq IN (%d, %d)"
                .formatted(database.sequence("a1"), database.sequence("a2"));
        database.update(move);
        Hook secondPage = new Hook(3, () -> database.update(move));
        JdbcOutboxStore slow = JdbcOutboxStore.open(
                secondPage.around(database.dataSource()),
                TestDatabase.config(SchemaMode.CREATE, "shop", 1),
                Set.of(DESTINATION, "audit"));

        try (Connection inDoubt = database.dataSource().getConnection()) {
            inDoubt.setAutoCommit(false);
            lock(inDoubt, "b0");
            try (Claim claim = claim(slow, limits(1, 2, 1_000_000))) {
                assertThat(texts(claim.messages())).containsExactly("a1", "a2");
            }
            inDoubt.rollback();
        }
        assertThat(claimed(ALL)).containsExactly("a1", "b0", "b1", "a2", "c1");
    }

    @Test
    void rowsInDoubtThatFillTheBatchHideNothingBesideThem() throws SQLException {
        store.capture()
                .write(List.of(
                        message("a", "x".repeat(100)), message("b", "b1"), message(null, "n1"), message("b", "b2")));

        try (Connection inDoubt = database.dataSource().getConnection()) {
            inDoubt.setAutoCommit(false);
            lock(inDoubt, "x".repeat(100));
            assertThat(claimed(limits(1, 500, 100))).containsExactly("b1", "n1", "b2");
            lock(inDoubt, "n1");
            assertThat(claimed(limits(1, 500, 2))).containsExactly("b1");
            lock(inDoubt, "b1");
            assertThat(claimed(ALL)).isEmpty();
            inDoubt.rollback();
        }
    }

    /** The dispatcher would abandon an unreadable row, and this update would wait for the row lock. */
    @Test
    void rowInDoubtThatCannotBeReadIsLeftOutToo() throws SQLException {
        store.capture().write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        database.update("UPDATE shop_message SET message_id = 'no uuid' WHERE payload = 'a1'");

        try (Connection inDoubt = database.dataSource().getConnection()) {
            inDoubt.setAutoCommit(false);
            lock(inDoubt, "a1");
            try (Claim claim = claim(store, ALL)) {
                assertThat(claim.unreadable()).isEmpty();
                assertThat(texts(claim.messages())).containsExactly("b1");
            }
            lock(inDoubt, "b1");
            assertThat(claimed(ALL)).as("nor is what follows it").isEmpty();
            inDoubt.rollback();
        }
    }

    /** The row was in doubt when the claim read it, and its transaction ended before the lock probe. */
    @Test
    void rowThatWasSettledSinceItWasReadIsLeftOutWithItsFollowers() throws SQLException {
        store.capture().write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        try (Connection other = database.dataSource().getConnection()) {
            other.setAutoCommit(false);
            lock(other, "a1");
            try (Statement settle = other.createStatement()) {
                settle.execute(database.settling(List.of("a1")));
            }
            LockProbe late = rows -> {
                other.commit();
                return store.pendingRows().lockable(rows);
            };
            try (Claim claim = TestMessages.claim(store, store.claims().rowLocks(DESTINATION), 0, ALL, late)) {
                assertThat(texts(claim.messages())).containsExactly("b1");
            }
        }
        assertThat(claimed(ALL)).containsExactly("a2", "b1");
    }

    @Test
    void lookingForRowsInDoubtLocksNothing() throws SQLException {
        store.capture().write(List.of(message("a", "a1")));
        Set<Long> sequences = Set.of(database.sequence("a1"));

        assertThat(store.pendingRows().lockable(sequences)).isEqualTo(sequences);
        assertThat(store.pendingRows().lockable(sequences)).isEqualTo(sequences);
        try (Connection other = database.dataSource().getConnection()) {
            other.setAutoCommit(false);
            lock(other, "a1");
        }
        assertThat(store.pendingRows().lockable(List.of())).isEmpty();
        assertThat(store.pendingRows().pendingIds(List.of())).isEmpty();
    }

    private void fail(String text, Duration delay) {
        store.settlements()
                .settleUnsent(unsent(
                        List.of(new Retry(database.sequence(text), OutboxStatus.FAILED, 1, delay, "refused", true))));
    }

    private List<String> claimed(ClaimLimits limits) {
        try (Claim claim = claim(store, limits)) {
            return texts(claim.messages());
        }
    }

    private void lock(Connection connection, String text) throws SQLException {
        try (Statement lock = connection.createStatement()) {
            lock.execute("UPDATE shop_queue SET attempts = attempts WHERE seq = " + database.sequence(text));
        }
    }
}
