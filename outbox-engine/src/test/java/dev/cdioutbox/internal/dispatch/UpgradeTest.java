package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.schema.NextVersion;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Rehearses what docs/upgrading.md says, with a version 2 that was made up ({@link NextVersion}): nodes of two versions work
 * on the same tables, and each message is delivered once and in the order of its key.
 */
@Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UpgradeTest extends StoreContract {
    private static final Duration SOON = Duration.ofMinutes(1);
    private static final Duration MOMENT = Duration.ofMillis(20);
    private static final int KEYS = 10;

    /** More messages than this do not wait. */
    private static final int BACKLOG = 100;

    private final FakeBroker broker = new FakeBroker();
    private final OutboxConfig config = DispatchScene.config(
            "outbox.partitions", "4", "outbox.dispatcher.batch-size", "50", "outbox.retry.on-abandon", "block");
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** The texts that are refused. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    private final Set<String> senders = ConcurrentHashMap.newKeySet();
    private final List<Node> nodes = new CopyOnWriteArrayList<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean writing = true;

    UpgradeTest(Database kind) {
        super(kind);
    }

    @AfterEach
    void end() {
        writing = false;
        nodes.forEach(node -> node.leaves = true);
        threads.shutdownNow();
    }

    @Test
    void nodesOfBothVersionsDeliverEachMessageOnceAndInOrderThereAndBack() throws Exception {
        refused.addAll(List.of("blocked 1", "abandoned 1"));
        broker.onSend = message -> {
            senders.add(Thread.currentThread().getName());
            String text = message.body().text();
            if (refused.contains(text)) {
                throw FakeBroker.failure(text.startsWith("abandoned") ? Blame.MESSAGE : Blame.UNKNOWN);
            }
        };
        Node old = join("old", database.dataSource());
        old.write(message("blocked", "blocked 1"), message("blocked", "blocked 2"));
        old.write(message("abandoned", "abandoned 1"), message("abandoned", "abandoned 2"));
        old.write(delayed("for the new version"), delayed("for the old version"));
        await().atMost(SOON)
                .until(() -> database.statuses().subList(0, 3), List.of("FAILED", "PENDING", "ABANDONED")::equals);
        Future<Map<String, Integer>> written = threads.submit(this::write);
        awaitDeliveries();

        if (database.kind() == Database.H2) {
            // H2 puts a changed table in the place of the old one, even while others write to the old one.
            leave(old);
            apply();
            old = join("old", database.dataSource());
        } else {
            apply();
        }
        NextVersion.start(database);
        Node fresh = join("new", NextVersion.writing(database.dataSource()));
        await().atMost(SOON).until(() -> senders.contains("new"));
        awaitDeliveries();
        leave(old);
        refused.clear();
        database.makeDue();
        makeDue("for the new version");
        await().atMost(SOON).until(() -> broker.texts().containsAll(List.of("blocked 2", "for the new version")));

        Node oldAgain = join("old again", database.dataSource());
        await().atMost(SOON).until(() -> senders.contains("old again"));
        leave(fresh);
        makeDue("for the old version");
        oldAgain.transactions.inNew(() -> change(oldAgain.store, MessageOperation.RETRY, OutboxFilter.all()));
        awaitDeliveries();
        writing = false;
        Map<String, Integer> promised = written.get();
        await().atMost(SOON)
                .until(() -> Set.copyOf(database.statuses()), Set.of(OutboxStatus.PUBLISHED.name())::equals);

        assertThat(failures).isEmpty();
        Map<String, List<String>> delivered = broker.delivered.stream()
                .collect(Collectors.groupingBy(
                        message -> message.event().key(),
                        Collectors.mapping(message -> message.body().text(), Collectors.toList())));
        assertThat(delivered.remove("blocked")).containsExactly("blocked 1", "blocked 2");
        assertThat(delivered.remove("abandoned")).containsExactly("abandoned 1", "abandoned 2");
        assertThat(delivered.remove("delayed")).containsExactly("for the new version", "for the old version");
        assertThat(delivered.keySet()).isEqualTo(promised.keySet());
        promised.forEach((key, count) -> assertThat(delivered.get(key))
                .as(key)
                .containsExactlyElementsOf(IntStream.rangeClosed(1, count)
                        .mapToObj(String::valueOf)
                        .toList()));
        assertThat(database.query("SELECT DISTINCT region FROM shop_message WHERE region IS NOT NULL"))
                .containsExactly("north");
    }

    /** A settlement behind the change, which waits for its claim, would fail after half a minute. */
    @Test
    void changeGivesWayToTheSettlementOfTheClaimForWhichItWaits() throws Exception {
        if (database.kind() == Database.H2) {
            // All nodes are stopped before a change, see docs/upgrading.md: the new table may lack the settlement.
            return;
        }
        CountDownLatch sending = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        broker.onSend = message -> {
            sending.countDown();
            await().atMost(SOON).until(() -> goesOn.getCount() == 0);
        };
        Node old = new Node("old", database.dataSource());
        old.write(message("a", "sent"));
        Future<Throwable> run = threads.submit(() -> pollUntil(sending, old));
        sending.await();
        Future<?> change = threads.submit(this::apply);
        await().atMost(SOON).until(() -> change.isDone() || isAChangeWaiting());

        goesOn.countDown();

        assertThat(run.get()).isNull();
        change.get();
        assertThat(broker.texts()).containsExactly("sent");
        assertThat(database.statuses()).containsExactly("PUBLISHED");
        assertThat(database.query("SELECT MAX(version) FROM shop_schema")).containsExactly("2");
    }

    /** Again: on PostgreSQL a poll reads nothing while an older transaction of the server, such as a vacuum, is running. */
    private static Throwable pollUntil(CountDownLatch sending, Node node) {
        Throwable failure = null;
        while (failure == null && sending.getCount() > 0) {
            failure = node.worker.poll();
        }
        return failure;
    }

    /** As an administrator: again until it succeeds. */
    private Void apply() {
        await().atMost(SOON).pollInterval(Duration.ofMillis(500)).until(() -> {
            try {
                NextVersion.apply(database);
                return true;
            } catch (SQLException e) {
                return false;
            }
        });
        return null;
    }

    private boolean isAChangeWaiting() {
        String waiting = database.kind().isInnoDb()
                ? "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE 'Waiting for table metadata lock%'"
                : database.kind().blocked();
        return !database.query(waiting).equals(List.of("0"));
    }

    private static NewMessage delayed(String text) {
        return terms(
                message("delayed", text), new NewMessage.Terms(Instant.now().plusSeconds(3600), null, null));
    }

    private void makeDue(String text) {
        database.setTime("queue", "available_at", Instant.now().minusSeconds(1), "seq = " + database.sequence(text));
    }

    private void awaitDeliveries() {
        int before = broker.delivered.size();
        await().atMost(SOON).until(() -> broker.delivered.size() > before + BACKLOG);
    }

    /** Writes through the nodes that are there. Returns the number of committed messages of each key. */
    private Map<String, Integer> write() throws Exception {
        Map<String, Integer> promised = new HashMap<>();
        Random random = new Random();
        int all = 0;
        while (writing) {
            Map<String, Integer> now = new HashMap<>(promised);
            NewMessage[] messages = IntStream.range(0, 1 + random.nextInt(5))
                    .mapToObj(any -> "key-" + random.nextInt(KEYS))
                    .map(key -> message(key, String.valueOf(now.merge(key, 1, Integer::sum))))
                    .toArray(NewMessage[]::new);
            List<Node> present = List.copyOf(nodes);
            if (!present.isEmpty()) {
                present.get(random.nextInt(present.size())).write(messages);
                promised = now;
                all += messages.length;
            }
            int most = all - BACKLOG;
            await().atMost(SOON).pollInterval(MOMENT).until(() -> !writing || broker.delivered.size() >= most);
        }
        return promised;
    }

    private Node join(String name, DataSource connections) {
        Node node = new Node(name, connections);
        node.run = threads.submit(node::dispatch);
        nodes.add(node);
        return node;
    }

    private void leave(Node node) throws Exception {
        nodes.remove(node);
        node.leaves = true;
        node.run.get();
    }

    private final class Node {
        private final String name;
        private final FakeTransactions transactions;
        private final JdbcOutboxStore store;
        private final DestinationWorker worker;
        private Future<?> run;
        private volatile boolean leaves;

        Node(String name, DataSource connections) {
            this.name = name;
            transactions = new FakeTransactions(connections, broker);
            store = JdbcOutboxStore.open(
                    transactions.dataSource(),
                    config.store(),
                    config.destinations().keySet());
            worker = DispatchScene.workerOf(new Dispatcher(
                    store,
                    Map.of("jms", broker),
                    new ThisNode(name, "shop", "host", "server", 1, "1.0"),
                    () -> config,
                    new Environment(transactions, () -> leaves)));
        }

        void write(NewMessage... messages) throws Exception {
            transactions.inNew(() -> {
                store.capture().write(List.of(messages));
                return null;
            });
        }

        Void dispatch() {
            Thread.currentThread().setName(name);
            while (!leaves) {
                Throwable failure = worker.poll();
                if (failure != null) {
                    failures.add("a run of " + name + ": " + failure);
                }
            }
            return null;
        }
    }
}
