package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.RetentionConfig.Mode;
import dev.cdioutbox.internal.config.RetentionConfig.Payload;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.Operations.Change;

/** One call after another, until each statement was run that the outbox has for its tables. */
final class EveryStatement {
    private static final ClaimLimits ALL = new ClaimLimits(64, 500, 1_000_000);
    private static final NodeIdentity NODE = new NodeIdentity("n", "host", "server", 1, "1.0");

    private final JdbcOutboxStore store;

    private EveryStatement(JdbcOutboxStore store) {
        this.store = store;
    }

    /** Nothing waits before; and nothing is left afterwards but one archived message, and what operators did. */
    static void run(JdbcOutboxStore store) {
        EveryStatement every = new EveryStatement(store);
        every.deliver();
        every.retain();
        every.operate();
        every.receive();
    }

    private void deliver() {
        store.write(keyed("a", "b", "c", "d"));
        store.write(List.of(TestMessages.terms(
                TestMessages.message("a", "later"), new Terms(Instant.now().minusSeconds(60), null, 3))));
        assertThat(store.promote(DESTINATION)).isFalse();
        assertThat(store.backlog().pending()).isEqualTo(5);
        List<Long> claimed = claimed();
        assertThat(store.lockable(claimed)).hasSize(5);
        store.settle(new Settlement(
                claimed.subList(0, 2),
                claimed.subList(2, 3),
                List.of(
                        new Retry(claimed.get(3), OutboxStatus.FAILED, 1, Duration.ZERO, "no", true),
                        new Retry(claimed.get(4), OutboxStatus.ABANDONED, 1, null, "never", false)),
                retention(Duration.ofDays(1), Mode.DELETE)));
        assertThat(store.backlog().abandoned()).isEqualTo(1);
        assertThat(store.find(OutboxFilter.all(), null)).hasSize(5);
    }

    private void retain() {
        settleAll(retention(Duration.ZERO, Mode.DELETE));
        assertThat(store.operations().change(Change.RETRY, OutboxFilter.all())).hasSize(1);
        settleAll(retention(Duration.ZERO, Mode.ARCHIVE));
        assertThat(store.sweep(retention(Duration.ofMillis(1), Mode.ARCHIVE), 0, Long.MAX_VALUE)
                        .removed())
                .isBetween(2, 3);
        assertThat(store.sweep(retention(Duration.ofMillis(1), Mode.DELETE), 0, Long.MAX_VALUE)
                        .removed())
                .isZero();
        store.find(OutboxFilter.all(), null)
                .forEach(left -> assertThat(left.delivery().status()).isEqualTo(OutboxStatus.EXPIRED));
    }

    private void operate() {
        Operations operations = store.operations();
        store.write(keyed("e"));
        OutboxFilter filter = OutboxFilter.all().withKey("e");
        assertThat(operations.change(Change.DISCARD, filter)).hasSize(1);
        assertThat(operations.change(Change.REPLAY, filter)).hasSize(1);
        assertThat(operations.pause(DESTINATION, true, "somebody")).isTrue();
        assertThat(claimed()).isEmpty();
        assertThat(operations.pause(DESTINATION, false, "somebody")).isTrue();
        OutboxMessage noted = store.find(filter, null).get(0);
        operations.audit("somebody", "retry", "one", 1, List.of(noted.sequence()));
        assertThat(operations.history(noted.id().toString(), 10)).hasSize(1);
        assertThat(operations.audited(10)).isNotEmpty();
        settleAll(retention(Duration.ZERO, Mode.DELETE));
        store.touch(NODE);
        store.touch(NODE);
        store.nodeRegister().sending(NODE, 1L);
        assertThat(store.nodeRegister().traces()).hasSize(1);
        assertThat(store.forget(NODE)).isTrue();
    }

    private void receive() {
        Inbox inbox = store.inbox();
        assertThat(inbox.enter("consumer", "id")).isTrue();
        assertThat(inbox.enter("consumer", "id")).isFalse();
        assertThat(inbox.advance("consumer", "key", 2)).isTrue();
        assertThat(inbox.advance("consumer", "key", 1)).isFalse();
        inbox.sweep(Duration.ofSeconds(-10), 100);
        assertThat(inbox.enter("consumer", "id")).isTrue();
        inbox.sweep(Duration.ofSeconds(-10), 100);
    }

    private void settleAll(RetentionConfig retention) {
        List<Long> claimed = claimed();
        assertThat(claimed).isNotEmpty();
        store.settle(new Settlement(claimed, List.of(), List.of(), retention));
    }

    private List<Long> claimed() {
        try (Claim claim = store.claim(DESTINATION, 0, ALL)) {
            return claim.messages().stream().map(OutboxMessage::sequence).toList();
        }
    }

    private static RetentionConfig retention(Duration published, Mode mode) {
        return new RetentionConfig(published, Duration.ofDays(30), mode, Payload.KEEP);
    }
}
