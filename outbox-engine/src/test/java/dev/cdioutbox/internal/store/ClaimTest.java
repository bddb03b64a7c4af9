package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.Test;

/**
 * Guards that a claim offers each pending message once, in the order of its key, within its limits, and to one node
 * only.
 */
class ClaimTest extends StoreContract {
    private static final ClaimLimits ALL = limits(8, 500, 1_000_000);

    private final JdbcOutboxStore store = database.open(8);

    ClaimTest(Database kind) {
        super(kind);
    }

    @Test
    void whatIsWrittenIsClaimedAndWhatIsSettledIsGone() {
        store.capture().write(keyed("a", "b"));

        try (Claim claim = claim(store, ALL)) {
            assertThat(texts(claim.messages())).containsExactlyInAnyOrder("a", "b");
            assertThat(claim.messages()).extracting(m -> m.delivery().status()).containsOnly(OutboxStatus.PENDING);
            store.settlements().settleSent(sent(List.of(database.sequence("a"))));
        }

        assertThat(claimed(store)).containsExactly("b");
        assertThat(database.statuses()).containsExactly("PUBLISHED", "PENDING");
    }

    @Test
    void messagesOfAKeyComeInTheOrderOfTheirRows() {
        store.capture().write(numbered(0, 200, 7));

        try (Claim claim = claim(store, ALL)) {
            claim.messages().stream()
                    .collect(Collectors.groupingBy(m -> m.event().key()))
                    .values()
                    .forEach(ofKey -> assertThat(ofKey)
                            .extracting(OutboxMessage::sequence)
                            .isSorted());
            assertThat(claim.messages()).hasSize(200);
        }
    }

    @Test
    void keyIsAlwaysInTheSamePartition() {
        store.capture().write(numbered(0, 100, 10));

        assertThat(database.query("SELECT DISTINCT message_key FROM shop_message"))
                .hasSize(10);
        assertThat(database.query("SELECT DISTINCT CONCAT(m.message_key, q.queue_id) FROM shop_message m"
                        + " JOIN shop_queue q ON q.seq = m.seq"))
                .hasSize(10);
        assertThat(database.query("SELECT DISTINCT queue_id FROM shop_queue")).hasSizeGreaterThan(2);
    }

    @Test
    void messagesWithoutAKeyAreSpread() {
        store.capture()
                .write(IntStream.range(0, 100)
                        .mapToObj(i -> message(null, String.valueOf(i)))
                        .toList());

        assertThat(database.query("SELECT DISTINCT queue_id FROM shop_queue")).hasSizeGreaterThan(4);
        assertThat(claimed(store)).hasSizeGreaterThan(50);
    }

    @Test
    void claimSkipsPartitionsLockedByAnotherNode() {
        store.capture().write(numbered(0, 50, 25));
        JdbcOutboxStore other = database.open(8);

        try (Claim claim = claim(store, ALL)) {
            assertThat(claim.messages()).hasSize(50);
            try (Claim nothing = claim(other, ALL)) {
                assertThat(nothing.partitions()).isEmpty();
                assertThat(nothing.isEmpty()).isTrue();
            }
        }

        assertThat(claimed(other)).hasSize(50);
    }

    @Test
    void dispatchersAtOnceNeverShareAMessageNorLeaveOne() throws Exception {
        store.capture().write(numbered(0, 400, 40));
        ExecutorService dispatchers = Executors.newFixedThreadPool(4);
        List<String> sent = new ArrayList<>();
        try {
            Callable<List<String>> dispatcher = () -> drain(database.open(8));
            for (Future<List<String>> result :
                    dispatchers.invokeAll(List.of(dispatcher, dispatcher, dispatcher, dispatcher))) {
                sent.addAll(result.get());
            }
        } finally {
            dispatchers.shutdownNow();
        }

        assertThat(sent).doesNotHaveDuplicates();
        sent.addAll(drain(store));
        assertThat(sent).hasSize(400).doesNotHaveDuplicates();
    }

    /**
     * Claims and settles until no free partition has a message. The settle rejects a message that another thread has
     * settled.
     */
    private static List<String> drain(JdbcOutboxStore store) {
        List<String> sent = new ArrayList<>();
        long last = 0;
        while (true) {
            try (Claim claim = TestMessages.claim(
                    store,
                    store.claims().rowLocks(DESTINATION),
                    last,
                    limits(2, 10, 1_000_000),
                    store.pendingRows()::lockable)) {
                if (claim.partitions().isEmpty()) {
                    return sent;
                }
                last = claim.partitions().get(claim.partitions().size() - 1);
                List<Long> sequences =
                        claim.messages().stream().map(OutboxMessage::sequence).toList();
                store.settlements().settleSent(sent(sequences));
                sent.addAll(texts(claim.messages()));
            }
        }
    }

    @Test
    void claimLeavesPartitionsBeyondItsLimitToOthers() {
        store.capture().write(numbered(0, 50, 25));
        List<Long> claimed = new ArrayList<>();

        try (Claim first = claim(store, limits(1, 500, 1_000_000));
                Claim second = claim(store, limits(3, 500, 1_000_000));
                Claim third = claim(store, ALL)) {
            assertThat(first.partitions()).hasSize(1);
            assertThat(second.partitions()).hasSize(3);
            List.of(first, second, third).forEach(claim -> claimed.addAll(claim.partitions()));
            assertThat(first.messages().size()
                            + second.messages().size()
                            + third.messages().size())
                    .isEqualTo(50);
        }

        assertThat(claimed).hasSize(8).doesNotHaveDuplicates();
    }

    @Test
    void everyPartitionIsServed() {
        store.capture().write(numbered(0, 50, 25));
        List<Long> served = new ArrayList<>();

        long last = 0;
        for (int keysToServe = 0; keysToServe < 9; keysToServe++) {
            try (Claim claim = TestMessages.claim(
                    store,
                    store.claims().rowLocks(DESTINATION),
                    last,
                    limits(1, 1, 1),
                    store.pendingRows()::lockable)) {
                last = claim.partitions().get(0);
                served.add(last);
            }
        }

        assertThat(served.subList(0, 8)).isSorted().doesNotHaveDuplicates();
        assertThat(served.get(8)).isEqualTo(served.get(0));
    }

    @Test
    void partitionsAreServedFromTheOneAfterTheLast() {
        store.capture().write(numbered(0, 50, 25));
        List<Long> partitions = new ArrayList<>(partitionsAfter(0));
        assertThat(partitions).hasSize(8).isSorted();

        List<Long> after = partitionsAfter(partitions.get(2));

        Collections.rotate(partitions, -3);
        assertThat(after).isEqualTo(partitions);
    }

    private List<Long> partitionsAfter(long last) {
        try (Claim claim = TestMessages.claim(
                store, store.claims().rowLocks(DESTINATION), last, ALL, store.pendingRows()::lockable)) {
            return claim.partitions();
        }
    }

    @Test
    void nextClaimBeginsAfterTheLastPartitionThatTheBatchServes() throws SQLException {
        store.capture().write(numbered(0, 50, 25));
        List<Long> partitions;

        try (Claim all = TestMessages.claim(
                store, store.claims().rowLocks(DESTINATION), 7, ALL, store.pendingRows()::lockable)) {
            List<OutboxMessage> messages = all.messages();
            long first = all.partitions().get(0);
            long last = all.partitions().get(all.partitions().size() - 1);
            assertThat(all.lastPartition()).isEqualTo(last);
            assertThat(all.lastPartitionBefore(messages.get(0), 7)).isEqualTo(7);
            assertThat(all.lastPartitionBefore(messages.get(1), 7)).isEqualTo(first);
            assertThat(all.lastPartitionBefore(messages.get(49), 7)).isEqualTo(last);
            partitions = all.partitions();
        }
        database.whileInDoubt("UPDATE shop_queue SET attempts = 1 WHERE queue_id = " + partitions.get(0), () -> {
            try (Claim others = claim(store, ALL)) {
                assertThat(others.partitions()).contains(partitions.get(0));
                assertThat(others.firstPartition()).isEqualTo(partitions.get(1));
            }
        });
        try (Claim full = claim(store, limits(8, 500, 1))) {
            assertThat(full.messages()).hasSize(1);
            assertThat(full.lastPartition()).isEqualTo(full.partitions().get(0));
        }
        try (Claim nothing =
                TestMessages.claim(store, store.claims().rowLocks("audit"), 7, ALL, store.pendingRows()::lockable)) {
            assertThat(nothing.firstPartition()).isNull();
            assertThat(nothing.lastPartition()).isEqualTo(7);
        }
    }

    @Test
    void claimShowsTheSendsThatDidNotEndUntilAnOperatorRetries() {
        store.capture().write(keyed("a", "b"));
        long a = database.sequence("a");
        assertThat(unfinishedSends()).isEmpty();

        assertThat(store.pendingRows().countUnfinishedSend(a, 2)).isTrue();
        assertThat(unfinishedSends()).containsExactly(Map.entry(a, 2));

        Retry retry = new Retry(a, OutboxStatus.FAILED, 1, Duration.ZERO, "refused", true);
        store.settlements().settleUnsent(unsent(List.of(retry)));
        assertThat(unfinishedSends()).containsExactly(Map.entry(a, 2));

        change(store, MessageOperation.RETRY, OutboxFilter.all().withStatus(OutboxStatus.FAILED));
        assertThat(unfinishedSends()).isEmpty();

        store.settlements().settleSent(sent(List.of(a)));
        assertThat(store.pendingRows().countUnfinishedSend(a, 1))
                .as("it does not wait any more")
                .isFalse();
    }

    private Map<Long, Integer> unfinishedSends() {
        try (Claim claim = claim(store, ALL)) {
            assertThat(texts(claim.messages())).containsExactlyInAnyOrder("a", "b");
            return claim.unfinishedSends();
        }
    }

    @Test
    void headersCountTowardsTheBytesOfABatch() {
        JdbcOutboxStore one = database.open(SchemaMode.CREATE, "one", 1);
        one.capture()
                .write(List.of(
                        TestMessages.headers(message("a", "a"), Map.of("x", "y".repeat(99))),
                        TestMessages.headers(message("b", "b"), Map.of("x", "y".repeat(99)))));

        try (Claim claim = claim(one, limits(1, 500, 150))) {
            assertThat(texts(claim.messages())).containsExactly("a");
        }
        try (Claim claim = claim(one, limits(1, 500, 202))) {
            assertThat(texts(claim.messages())).containsExactly("a", "b");
        }
    }

    @Test
    void batchEndsByBytesButTheFirstMessageAlwaysPasses() {
        JdbcOutboxStore one = database.open(SchemaMode.CREATE, "one", 1);
        one.capture()
                .write(List.of(
                        message("a", "x".repeat(100)),
                        message("b", "y".repeat(10)),
                        message("b", "z".repeat(5)),
                        message("c", "c")));

        try (Claim claim = claim(one, limits(1, 500, 50))) {
            assertThat(texts(claim.messages())).containsExactly("x".repeat(100));
            one.settlements().settleSent(sent(List.of(claim.messages().get(0).sequence())));
        }
        try (Claim claim = claim(one, limits(1, 500, 9))) {
            assertThat(texts(claim.messages()))
                    .as("what no longer fits holds back its key")
                    .containsExactly("y".repeat(10));
        }
        try (Claim claim = claim(one, limits(1, 500, 15))) {
            assertThat(texts(claim.messages())).containsExactly("y".repeat(10), "z".repeat(5));
        }
    }

    @Test
    void twoApplicationsInOneTableNeverMix() {
        JdbcOutboxStore other = database.open(SchemaMode.CREATE, "other", 8);
        store.capture().write(keyed("mine"));
        other.capture().write(keyed("theirs"));

        assertThat(claimed(store)).containsExactly("mine");
        assertThat(claimed(other)).containsExactly("theirs");
        assertThat(store.status().backlog().pending()).isEqualTo(1);
        assertThat(texts(store.finder().find(OutboxFilter.all(), OutboxPageRequest.of(100))))
                .containsExactly("mine");
    }

    private static List<String> claimed(JdbcOutboxStore store) {
        try (Claim claim = claim(store, ALL)) {
            return texts(claim.messages());
        }
    }
}
