package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Guards that a claim does not block an operator, and that a settle does not mistake an operator's change for a lost
 * claim.
 */
class OperatorDuringSendTest extends StoreContract {
    private static final RetentionConfig ARCHIVED = new RetentionConfig(Duration.ZERO, Duration.ZERO, true, false);
    private static final RetentionConfig NOTHING_KEPT = new RetentionConfig(Duration.ZERO, Duration.ZERO, false, false);

    private final JdbcOutboxStore store = database.open(4);

    OperatorDuringSendTest(Database kind) {
        super(kind);
    }

    @AfterEach
    void eachMessageIsInOnePlace() {
        assertThat(database.misplaced()).isEmpty();
    }

    @Test
    void whatWasSentBeforeItWasDiscardedIsPublished() {
        store.capture().write(keyed("a", "b", "c"));
        discard("b");

        Set<Long> discarded = store.settlements().settleSent(sent(sequences("a", "b")));

        assertThat(discarded).containsExactly(database.sequence("b"));
        assertThat(database.statuses()).containsExactly("PUBLISHED", "PUBLISHED", "PENDING");
        assertThat(database.query(
                        "SELECT payload FROM shop_message_view WHERE published_at IS NOT NULL AND attempts = 1"))
                .containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void whatWasSentBeforeItWasDiscardedLeavesWithTheOthers() {
        store.capture().write(keyed("a", "b"));
        discard("b");

        store.settlements().settleSent(sent(sequences("a", "b"), ARCHIVED));

        assertThat(database.query("SELECT payload FROM shop_archive ORDER BY seq"))
                .containsExactly("a", "b");
        assertThat(database.statuses()).isEmpty();
    }

    @Test
    void whatWasNotSentStaysDiscarded() {
        store.capture().write(keyed("late", "failed", "published"));
        discard("late");
        discard("failed");

        store.settlements().settleSent(sent(sequences("published")));
        Set<Long> leftUnchanged =
                store.settlements().settleUnsent(unsent(sequences("late"), List.of(charged("failed", 1)), ARCHIVED));

        assertThat(leftUnchanged).containsExactlyInAnyOrderElementsOf(sequences("late", "failed"));
        assertThat(database.statuses()).containsExactly("DISCARDED", "DISCARDED", "PUBLISHED");
    }

    /** The retry resets the count of attempts; the attempt in flight must not be added to it. */
    @Test
    void attemptThatFailsAfterARetryIsNotCharged() {
        store.capture().write(keyed("a"));
        store.settlements().settleUnsent(unsent(List.of(charged("a", 1))));
        change(store, MessageOperation.RETRY, OutboxFilter.all());

        Set<Long> leftUnchanged = store.settlements()
                .settleUnsent(unsent(
                        List.of(new Retry(database.sequence("a"), OutboxStatus.ABANDONED, 2, null, "refused", false))));

        assertThat(leftUnchanged).containsExactly(database.sequence("a"));
        assertThat(database.query("SELECT attempts FROM shop_queue WHERE status = 0 AND queue_id > 0"))
                .containsExactly("0");
    }

    /** Its time to live was over when the claim read it, but an operator has been told since that it will be sent. */
    @Test
    void whatWasRetriedDoesNotExpire() {
        retriedMessageStays("kept", RetentionConfig.DEFAULT);
        retriedMessageStays("deleted", NOTHING_KEPT);

        assertThat(database.query("SELECT payload FROM shop_message_view WHERE status IN ('PENDING', 'FAILED')"))
                .containsExactlyInAnyOrder("kept", "deleted");
    }

    private void retriedMessageStays(String retried, RetentionConfig retention) {
        String expired = "not " + retried;
        store.capture().write(keyed(retried, expired));
        store.settlements().settleUnsent(unsent(List.of(charged(retried, 1))));
        database.setTime("message", "expires_at", Instant.now().minusSeconds(9999), "payload = '" + retried + "'");
        change(store, MessageOperation.RETRY, OutboxFilter.all());

        assertThat(store.settlements().settleUnsent(unsent(sequences(retried, expired), List.of(), retention)))
                .isEqualTo(Set.copyOf(sequences(retried)));
    }

    @Test
    void claimThatWasLostIsNotHiddenByWhatWasDiscarded() {
        store.capture().write(keyed("a", "b", "c", "d"));
        discard("a");
        discard("d");
        store.settlements().settleSent(sent(sequences("b")));

        assertThatThrownBy(() -> store.settlements().settleSent(sent(sequences("a", "b", "c"))))
                .hasMessageStartingWith("OBX-0305: 3 message(s) were sent but 2 settled");
        assertThatThrownBy(() -> store.settlements()
                        .settleUnsent(unsent(sequences("d"), List.of(charged("b", 1)), RetentionConfig.DEFAULT)))
                .hasMessageStartingWith("OBX-0305: 2 message(s) were sent but 1 settled");
    }

    private void discard(String text) {
        change(
                store,
                MessageOperation.DISCARD,
                OutboxFilter.all(),
                OutboxPageRequest.ofSequence(database.sequence(text)));
    }

    private List<Long> sequences(String... texts) {
        return List.of(texts).stream().map(database::sequence).toList();
    }

    private Retry charged(String text, int attempts) {
        return new Retry(database.sequence(text), OutboxStatus.FAILED, attempts, Duration.ofHours(1), "refused", true);
    }
}
