package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Guards the whole life of messages through the engine's own calls. This class has no SQL that a database could refuse.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class WholeLifeContract {
    private static final OutboxPageRequest ALL = OutboxPageRequest.of(OutboxPageRequest.MAX_LIMIT);

    private final FakeBroker broker = new FakeBroker();
    private final FakeTransactions transactions;
    private final OutboxConfig config;
    private final JdbcOutboxStore store;
    private final Dispatcher dispatcher;
    private final DestinationWorker worker;

    /**
     * @param database a database without the tables, or with empty ones
     * @param claim {@code lock} or {@code lease}
     */
    protected WholeLifeContract(DataSource database, String tablePrefix, String claim) {
        transactions = new FakeTransactions(database, broker);
        config = TestConfig.of(
                "outbox.table-prefix", tablePrefix,
                "outbox.dispatcher.interval", "PT1H",
                "outbox.dispatcher.delivery", "at-least-once",
                "outbox.dispatcher.lease", claim.equals("lease") ? "PT1M" : "PT0S",
                "outbox.partitions", "4",
                "outbox.dispatcher.batch-size", "20",
                "outbox.retry.max-attempts", "3",
                "outbox.retry.base-delay", "PT0.001S",
                "outbox.retry.max-delay", "PT0.001S",
                "outbox.retry.on-abandon", "block",
                "outbox.retention.published", "PT0.001S",
                "outbox.retention.mode", "archive");
        store = JdbcOutboxStore.open(
                transactions.dataSource(), config.store(), config.destinations().keySet());
        dispatcher = dispatcher("node-1");
        worker = dispatcher.workers().get(DESTINATION);
    }

    protected String tablePrefix() {
        return config.store().tablePrefix();
    }

    /** Commits, unless the work throws an exception. */
    protected <T> T inTransaction(Callable<T> work) throws Exception {
        return transactions.inNew(work);
    }

    /** The store, with connections of its own outside of a transaction. */
    protected JdbcOutboxStore store() {
        return store;
    }

    @Test
    void messageIsRetriedAbandonedBroughtBackPublishedAndPurged() throws Exception {
        AtomicBoolean poison = new AtomicBoolean(true);
        broker.onSend = sent -> {
            if (poison.get() && sent.body().text().equals("b 1")) {
                throw FakeBroker.failure(Blame.MESSAGE);
            }
        };
        capture(message("", "empty 1"), message("b ", "b 1"), message("b ", "b 2"), message("b", "other"));
        capture(message("", "empty 2"), message("b ", "b 3"), delayed("later"));

        run(3);

        assertThat(broker.taken())
                .extracting(sent -> sent.body().text())
                .containsExactlyInAnyOrder("empty 1", "empty 2", "other", "later");
        assertThat(states())
                .isEqualTo(Map.of(OutboxStatus.PUBLISHED, 4L, OutboxStatus.ABANDONED, 1L, OutboxStatus.PENDING, 2L));

        poison.set(false);
        assertThat(transactions.inNew(() -> change(store, MessageOperation.RETRY, OutboxFilter.all(), ALL)))
                .hasSize(1);
        run(2);

        assertThat(broker.texts()).containsExactly("b 1", "b 2", "b 3");
        assertThat(states()).isEqualTo(Map.of(OutboxStatus.PUBLISHED, 7L));
        assertThat(transactions.inNew(() -> store.operations().pause(DESTINATION, true, "ada")))
                .isTrue();
        capture(message("p", "paused"));
        run(1);
        assertThat(transactions.inNew(() -> change(store, MessageOperation.DISCARD, OutboxFilter.all(), ALL)))
                .hasSize(1);

        // The purge may come within the millisecond of the retention.
        await().untilAsserted(() -> {
            dispatcher.purge();
            assertThat(states()).isEmpty();
        });
    }

    /** A bisection finds the message that the broker refuses at the commit, and reads the rows in between. */
    @Test
    void messageThatCannotBeCommittedDoesNotKeepTheOthers() throws Exception {
        broker.refusedAtCommit.add("bad");
        capture(message("b", "good 1"), message("b", "bad"), message("c", "good 2"));

        run(6);

        assertThat(broker.taken()).extracting(sent -> sent.body().text()).containsExactlyInAnyOrder("good 1", "good 2");
        broker.refusedAtCommit.clear();
        assertThat(transactions.inNew(() -> change(store, MessageOperation.RETRY, OutboxFilter.all(), ALL)))
                .hasSize(1);
        run(2);
        assertThat(broker.texts()).containsExactly("bad");
    }

    /** Calls may wait for each other, and the database may roll one back to end a deadlock. No message may be lost. */
    @Test
    void nodesWritersOperatorsAndPurgesGetOnWithEachOther() throws Exception {
        int keys = 5;
        int rounds = 8;
        Map<String, Boolean> refused = new ConcurrentHashMap<>();
        broker.onSend = sent -> {
            if (sent.sequence() % 7 == 0 && refused.put(sent.body().text(), true) == null) {
                throw FakeBroker.failure(Blame.MESSAGE);
            }
        };
        AtomicBoolean over = new AtomicBoolean();
        List<CompletableFuture<Void>> others = new ArrayList<>();
        for (int node = 2; node <= 3; node++) {
            Dispatcher other = dispatcher("node-" + node);
            DestinationWorker itsWorker = other.workers().get(DESTINATION);
            others.add(elsewhere(over, () -> {
                itsWorker.poll();
                other.purge();
            }));
        }
        others.add(elsewhere(
                over, () -> transactions.inNew(() -> change(store, MessageOperation.RETRY, OutboxFilter.all(), ALL))));
        for (int round = 0; round < rounds; round++) {
            int number = round;
            NewMessage[] some = IntStream.range(0, keys)
                    .mapToObj(key -> message("key " + key, key + " " + number))
                    .toArray(NewMessage[]::new);
            again(() -> capture(some));
        }
        while (broker.texts().stream().distinct().count() < keys * rounds) {
            run(1);
        }
        over.set(true);
        others.forEach(CompletableFuture::join);

        Map<String, List<String>> byKey = broker.delivered.stream()
                .collect(Collectors.groupingBy(
                        sent -> sent.event().key(),
                        Collectors.mapping(
                                sent -> sent.body().text(),
                                Collectors.collectingAndThen(
                                        Collectors.toList(),
                                        texts -> texts.stream().distinct().toList()))));
        assertThat(byKey).hasSize(keys);
        byKey.forEach((key, texts) -> assertThat(texts)
                .as("%s; a copy comes where the settling was rolled back, and never before its time", key)
                .containsExactlyElementsOf(IntStream.range(0, rounds)
                        .mapToObj(round -> key.substring(4) + " " + round)
                        .toList()));
    }

    private static CompletableFuture<Void> elsewhere(AtomicBoolean over, Work work) {
        // Each task has a thread of its own: the common pool may have fewer threads than there are tasks.
        return CompletableFuture.runAsync(
                () -> {
                    while (!over.get()) {
                        again(work);
                    }
                },
                task -> new Thread(task).start());
    }

    /**
     * Repeats a call that the database rolled back to end a deadlock, as an application does with a business
     * transaction.
     */
    private static void again(Work work) {
        for (int attempt = 1; ; attempt++) {
            try {
                work.run();
                return;
            } catch (Exception rolledBack) {
                assertThat(attempt).as("%s", rolledBack).isLessThan(20);
            }
        }
    }

    private void capture(NewMessage... messages) throws Exception {
        transactions.inNew(() -> {
            store.capture().write(List.of(messages));
            return null;
        });
    }

    private static NewMessage delayed(String text) {
        NewMessage message = message("b ", text);
        return new NewMessage(
                message.id(),
                message.event(),
                message.body(),
                message.context(),
                new NewMessage.Terms(Instant.now().minus(Duration.ofMinutes(1)), null, null),
                message.destination(),
                message.occurredAt());
    }

    private void run(int times) {
        for (int i = 0; i < times; i++) {
            worker.poll();
        }
    }

    private Map<OutboxStatus, Long> states() {
        return store.finder().find(OutboxFilter.all(), ALL).stream()
                .map(OutboxMessage::delivery)
                .collect(Collectors.groupingBy(OutboxMessage.Delivery::status, Collectors.counting()));
    }

    private Dispatcher dispatcher(String node) {
        return new Dispatcher(
                store,
                Map.of("jms", broker),
                new ThisNode(node, "shop", "host", "server", 1, "1.0"),
                () -> config,
                new Environment(transactions, () -> false));
    }

    private interface Work {
        void run() throws Exception;
    }
}
