package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxFilter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guards the order of keys under random writes, failures and operations, against a model: one list for each key. A
 * claim may offer only the beginning of a key's list, and nothing while its first message waits. In the end all lists
 * are empty.
 */
@Tag("full")
class BlockedKeyRandomTest extends StoreContract {
    private static final String[] KEYS = {"a", "b", "c", "d", "e"};
    private static final int STEPS = 80;

    private final JdbcOutboxStore store = database.open(2);
    private final Map<String, List<Expected>> waiting = new TreeMap<>();
    private final Set<String> delivered = new HashSet<>();
    private int written;

    BlockedKeyRandomTest(Database kind) {
        super(kind);
    }

    /** A message in the model. */
    private static final class Expected {
        final String text;
        boolean waits;
        boolean abandoned;

        Expected(String text) {
            this.text = text;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void keysKeepTheirOrderAndNothingIsStranded(long seed) {
        Random random = new Random(seed);
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> write(random);
                case 3 -> timeGoesBy();
                case 4 -> operate(random.nextBoolean() ? MessageOperation.RETRY : MessageOperation.DISCARD);
                default -> deliver(random, 0.3);
            }
        }

        for (int queueOrder = 0; queueOrder < 200 && !waiting.isEmpty(); queueOrder++) {
            timeGoesBy();
            operate(MessageOperation.RETRY);
            deliver(random, 0);
        }
        assertThat(waiting).isEmpty();
        deliver(random, 0);
        deliver(random, 0);
        assertThat(database.query("SELECT id FROM shop_blocked_key")).isEmpty();
        assertThat(database.query("SELECT seq FROM shop_queue WHERE queue_id > 0"))
                .isEmpty();
        assertThat(database.misplaced()).isEmpty();
    }

    private void write(Random random) {
        List<NewMessage> messages = new ArrayList<>();
        for (int i = random.nextInt(6); i >= 0; i--) {
            String key = KEYS[random.nextInt(KEYS.length)];
            String text = key + ++written;
            messages.add(message(key, text));
            waiting.computeIfAbsent(key, k -> new ArrayList<>()).add(new Expected(text));
        }
        store.capture().write(messages);
    }

    private void timeGoesBy() {
        database.makeDue();
        waiting.values().forEach(list -> list.forEach(expected -> expected.waits &= expected.abandoned));
    }

    private void operate(MessageOperation change) {
        change(
                store,
                change,
                OutboxFilter.all().withStatus(OutboxStatus.ABANDONED).withError("blocks"));
        waiting.values().forEach(list -> {
            if (change == MessageOperation.DISCARD) {
                list.removeIf(expected -> expected.abandoned);
            }
            list.forEach(expected -> {
                expected.waits &= !expected.abandoned;
                expected.abandoned = false;
            });
        });
        waiting.values().removeIf(List::isEmpty);
    }

    private void deliver(Random random, double failing) {
        ClaimLimits limits = limits(1 + random.nextInt(2), 1 + random.nextInt(8), 1_000_000);
        int after = random.nextInt(3);
        try (Claim claim = TestMessages.claim(
                store, store.claims().rowLocks(DESTINATION), after, limits, store.pendingRows()::lockable)) {
            Map<String, List<OutboxMessage>> byKey = new TreeMap<>();
            claim.messages()
                    .forEach(message -> byKey.computeIfAbsent(message.event().key(), k -> new ArrayList<>())
                            .add(message));
            List<Long> sent = new ArrayList<>();
            List<Retry> retries = new ArrayList<>();
            byKey.forEach((key, messages) -> deliver(key, messages, random, failing, sent, retries));
            store.settlements().settleSent(sent(sent));
            store.settlements().settleUnsent(unsent(retries));
        }
        waiting.values().removeIf(List::isEmpty);
    }

    private void deliver(
            String key,
            List<OutboxMessage> messages,
            Random random,
            double failing,
            List<Long> sent,
            List<Retry> retries) {
        List<Expected> list = waiting.getOrDefault(key, new ArrayList<>());
        for (OutboxMessage message : messages) {
            assertThat(list)
                    .as("%s is offered a second time", message.body().text())
                    .isNotEmpty();
            assertThat(message.body().text()).isEqualTo(list.get(0).text);
            assertThat(list.get(0).waits).as("%s waits", list.get(0).text).isFalse();
            if (random.nextDouble() < failing) {
                retries.add(fail(list, message, random.nextInt(3)));
                return;
            }
            list.remove(0);
            sent.add(message.sequence());
            assertThat(delivered.add(message.body().text())).isTrue();
        }
    }

    private static Retry fail(List<Expected> list, OutboxMessage message, int how) {
        Expected head = list.get(0);
        long sequence = message.sequence();
        int attempts = message.delivery().attempts() + 1;
        if (how == 0) {
            // A skipped message has no place in the order of its key any more, so the model forgets it.
            list.remove(0);
            return new Retry(sequence, OutboxStatus.ABANDONED, attempts, null, "skipped", false);
        }
        head.waits = true;
        head.abandoned = how == 1;
        return head.abandoned
                ? new Retry(sequence, OutboxStatus.ABANDONED, attempts, null, "blocks", true)
                : new Retry(sequence, OutboxStatus.FAILED, attempts, Duration.ofHours(1), "refused", true);
    }
}
