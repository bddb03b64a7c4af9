package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.EachDatabase;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Guards that a large backlog does not delay other keys. The unit is the batch, so that the speed of the machine has no
 * effect.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FairnessTest {
    static {
        // The server's start would exceed the timeout of the first test.
        Database.POSTGRESQL.start();
    }

    /** The batches until each partition has had its turn: a claim takes 16 of 64 partitions. */
    private static final int ROUND = 4;

    private static final String BYTES = "outbox.dispatcher.batch-max-bytes";

    private final List<List<String>> batches = new ArrayList<>();

    /** Fifty batches of one key are ahead of one message of each other key. */
    @ParameterizedTest(allowZeroInvocations = true)
    @EachDatabase({Database.H2, Database.POSTGRESQL})
    void oneKeyWithALargeBacklogHoldsUpNoOtherPartition(Database kind) {
        try (DispatchScene scene = scene(kind)) {
            scene.write(numbered(0, 5000, 1));
            scene.write(IntStream.range(0, 100)
                    .mapToObj(i -> message("other-" + i, "other-" + i))
                    .toList());
            List<String> others = scene.database.query("SELECT payload FROM shop_message WHERE partition_id <>"
                    + " (SELECT MAX(partition_id) FROM shop_message WHERE message_key = 'key-0')");

            assertThat(scene.run()).isNull();

            assertThat(batches).hasSizeGreaterThan(50);
            List<String> first =
                    batches.subList(0, ROUND).stream().flatMap(List::stream).toList();
            assertThat(first).containsAll(others);
            assertThat(first).as("and it is not held up itself").contains("0");
        }
    }

    /** A key waits for the older messages of its partition, however many there are, and for no later ones. */
    @ParameterizedTest(allowZeroInvocations = true)
    @EachDatabase({Database.H2, Database.POSTGRESQL})
    void keyThatSharesThePartitionOfALargeBacklogWaitsForWhatWasStoredBefore(Database kind) {
        try (DispatchScene scene = scene(kind)) {
            scene.write(numbered(0, 300, 1));
            scene.write(IntStream.range(0, 200)
                    .mapToObj(i -> message("other-" + i, "other-" + i))
                    .toList());
            scene.write(numbered(300, 300, 1));
            List<String> inOrder = scene.database.query("SELECT payload FROM shop_message WHERE partition_id ="
                    + " (SELECT MAX(partition_id) FROM shop_message WHERE message_key = 'key-0') ORDER BY seq");
            assertThat(inOrder).as("there is such a key").hasSizeGreaterThan(600);

            assertThat(scene.run()).isNull();

            assertThat(scene.broker.texts().stream().filter(new HashSet<>(inOrder)::contains))
                    .containsExactlyElementsOf(inOrder);
        }
    }

    /**
     * Eleven tenants write all the time. The large one writes ten times as much as all others together, and fills each
     * batch.
     */
    @ParameterizedTest(allowZeroInvocations = true)
    @EachDatabase({Database.H2, Database.POSTGRESQL})
    void tenantWithTenTimesTheLoadOfTheOthersHoldsUpNone(Database kind) {
        try (DispatchScene scene = scene(kind)) {
            // The backlog from the time before the others came.
            scene.write(large(500));
            for (int moment = 0; moment < 10; moment++) {
                List<NewMessage> messages = large(100);
                for (int tenant = 0; tenant < 10; tenant++) {
                    messages.add(message("small-" + tenant, "small-" + tenant + "-" + moment));
                }
                scene.write(messages);
                int before = batches.size();
                scene.run(() -> scene.config, () -> batches.size() > before);

                assertThat(batches).hasSize(moment + 1);
                assertThat(scene.database.query(
                                "SELECT m.message_key FROM shop_message m JOIN shop_queue q ON q.seq = m.seq"
                                        + " WHERE m.message_key LIKE 'small-%'"
                                        + " AND NOT EXISTS (SELECT 1 FROM shop_message l"
                                        + " WHERE l.partition_id = m.partition_id AND l.message_key LIKE 'large-%')"))
                        .as("small ones after batch %d", moment + 1)
                        .isEmpty();
            }
            assertThat(scene.database.query("SELECT seq FROM shop_queue WHERE status = 0"))
                    .as("the large one has more than it gets")
                    .hasSizeGreaterThan(500);
        }
    }

    /** Each batch is full before the end of the first partition. */
    @ParameterizedTest(allowZeroInvocations = true)
    @EachDatabase({Database.H2, Database.POSTGRESQL})
    void partitionFullOfLargeMessagesHoldsUpNoOtherOfItsClaim(Database kind) {
        try (DispatchScene scene =
                scene(kind, "outbox.partitions", "10", "outbox.dispatcher.max-partitions", "10", BYTES, "1000")) {
            scene.write(numbered(0, 100, 100));
            String first = scene.database
                    .query("SELECT m.message_key FROM shop_message m JOIN shop_queue q ON q.seq = m.seq"
                            + " ORDER BY q.queue_id, q.seq")
                    .get(0);
            scene.write(IntStream.range(0, 200).mapToObj(i -> fat(first, i)).toList());
            scene.write(IntStream.range(100, 120)
                    .mapToObj(i -> message("key-" + i, String.valueOf(i)))
                    .toList());
            List<String> others = scene.database.query(
                    "SELECT payload FROM shop_message WHERE partition_id <>"
                            + " (SELECT MAX(partition_id) FROM shop_message WHERE message_key = ?)",
                    first);

            assertThat(scene.run()).isNull();

            assertThat(batches).hasSizeGreaterThan(20);
            assertThat(batches.subList(0, 8).stream().flatMap(List::stream)).containsAll(others);
        }
    }

    /** The key failed once, and all its later messages wait in the queue of the blocked key. */
    @Test
    void blockedKeyThatCatchesUpDelaysNeitherItsPartitionNorOtherKeys() {
        try (DispatchScene scene =
                scene(Database.H2, "outbox.partitions", "2", "outbox.dispatcher.max-partitions", "2", BYTES, "1000")) {
            failOnce(scene, "fat");
            scene.write(IntStream.range(0, 300).mapToObj(i -> fat("fat", i)).toList());
            scene.run();
            scene.database.makeDue();
            scene.write(numbered(0, 40, 40));
            batches.clear();

            assertThat(scene.run()).isNull();

            assertThat(batches).hasSizeGreaterThan(30);
            assertThat(batches.subList(0, 10).stream().flatMap(List::stream))
                    .containsAll(
                            IntStream.range(0, 40).mapToObj(String::valueOf).toList());
            assertThat(batches.subList(0, 10))
                    .anySatisfy(batch -> assertThat(batch).anyMatch(text -> text.startsWith("fat")));
        }
    }

    /** The blocked key still exists although it has no messages, and no batch reaches the end of the partition. */
    @Test
    void keyThatHasCaughtUpGoesOnThoughEachBatchIsFull() {
        try (DispatchScene scene = scene(Database.H2, "outbox.partitions", "1", BYTES, "1000")) {
            failOnce(scene, "a");
            scene.write("a", "follower");
            scene.write(IntStream.range(0, 300).mapToObj(i -> fat("b", i)).toList());
            scene.database.makeDue();
            batches.clear();

            assertThat(scene.run()).isNull();

            assertThat(batches).hasSizeGreaterThan(30);
            assertThat(batches.subList(0, 3).stream().flatMap(List::stream)).contains("follower");
        }
    }

    private static void failOnce(DispatchScene scene, String key) {
        scene.broker.onSend = message -> {
            if (message.body().text().equals("fails")) {
                throw FakeBroker.failure(Blame.UNKNOWN);
            }
        };
        scene.write(List.of(message(key, "fails"), message("other", "other")));
        assertThat(scene.run()).isNull();
        assertThat(scene.column("status", "fails")).isEqualTo("FAILED");
        scene.broker.onSend = message -> {};
    }

    private static NewMessage fat(String key, int number) {
        return message(key, "fat" + number + "-".repeat(100));
    }

    private static List<NewMessage> large(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> message("large-" + i % 5, "large"))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private DispatchScene scene(Database kind, String... keysAndValues) {
        List<String> all = new ArrayList<>(List.of(keysAndValues));
        all.addAll(List.of("outbox.dispatcher.batch-size", "100"));
        DispatchScene scene = new DispatchScene(
                kind == Database.H2 ? new TestDatabase() : new TestDatabase(kind), all.toArray(String[]::new));
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void published(DestinationId destination, List<OutboxMessage> messages, Instant at, Duration took) {
                batches.add(messages.stream().map(m -> m.body().text()).toList());
            }
        });
        return scene;
    }
}
