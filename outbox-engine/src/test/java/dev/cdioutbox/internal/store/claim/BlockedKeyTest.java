package dev.cdioutbox.internal.store.claim;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.HeldUpKeys;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.WatchedSource;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.BlockedKeyFinder.BlockedKey;
import dev.cdioutbox.internal.store.operate.BlockedKeyFinder.BlockedKeys;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.schema.PartitionSetup;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.Test;

/**
 * Guards that a blocked key has a queue of its own, which keeps the key's order and delays no other key. With one
 * partition, all keys share it.
 */
class BlockedKeyTest extends StoreContract {
    private static final ClaimLimits ALL = limits(1, 500, 1_000_000);

    private final JdbcOutboxStore store = database.open(1);

    BlockedKeyTest(Database kind) {
        super(kind);
    }

    @Test
    void whatWaitsIsNoLongerInThePartition() {
        write("a1", "b1", "a2", "a3");
        fail("a1");

        assertThat(claimed()).containsExactly("b1");

        assertThat(inPartition()).containsExactly("b1");
        assertThat(blockedKeys()).isEqualTo(1);
    }

    /** As far as claims have moved what waits behind it. */
    @Test
    void operatorFindsTheKeyThatHoldsUpMostFirst() {
        write("a1", "b1", "c1", "b2", "b3", "a2", "d1");
        fail("a1");
        fail("b1", true);
        fail("d1");
        claimed();

        BlockedKeys found = store.operations().blockedKeys().find(10);

        assertThat(found.isCapped()).isFalse();
        assertThat(found.keys())
                .extracting(BlockedKey::key, BlockedKey::status, BlockedKey::lastError, BlockedKey::waiting)
                .containsExactly(
                        tuple("b", OutboxStatus.ABANDONED, "never", 2),
                        tuple("a", OutboxStatus.FAILED, "refused", 1),
                        tuple("d", OutboxStatus.FAILED, "refused", 0));
        assertThat(found.keys()).allSatisfy(key -> {
            assertThat(key.destination()).isEqualTo(DESTINATION);
            assertThat(key.attempts()).isEqualTo(1);
            assertThat(key.since()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
            assertThat(key.nextTry() == null).isEqualTo(key.status() == OutboxStatus.ABANDONED);
        });
        assertThat(store.operations().blockedKeys().find(1).keys())
                .extracting(BlockedKey::key)
                .containsExactly("b");
    }

    /** What was behind a discarded message needs no operator. */
    @Test
    void operatorDoesNotFindAKeyWhoseFirstMessageMerelyWaitsToBeSent() {
        write("a1", "a2", "a3", "a4", "b1", "b2");
        fail("a1", true);
        fail("b1");
        claimed();
        change(store, MessageOperation.DISCARD, OutboxFilter.all().withKey("a").withStatus(OutboxStatus.ABANDONED));

        assertThat(store.operations().blockedKeys().find(10).keys())
                .extracting(BlockedKey::key)
                .containsExactly("b");
    }

    /** What an operator lets go is no longer blocked, although its row is still there. */
    @Test
    void keysThatAreHeldUpAreCountedWithTheirFollowers() {
        assertThat(store.heldUp().blocked()).isEmpty();
        write("a1", "b1", "c1", "b2", "b3", "a2", "d1");
        fail("a1");
        fail("b1", true);
        fail("d1");
        claimed();
        change(store, MessageOperation.RETRY, OutboxFilter.all().withKey("d"));

        HeldUpKeys found = store.heldUp().blocked().get(DESTINATION);

        assertThat(found).isEqualTo(new HeldUpKeys(2, 3, found.longest()));
        assertThat(found.longest()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
        JdbcOutboxStore other = database.open(SchemaMode.CREATE, "other", 1);
        assertThat(other.heldUp().blocked()).isEmpty();
    }

    /** In the partition as in the queue of a blocked key, where the first one may be in doubt as well. */
    @Test
    void keysInDoubtAreCountedWithTheirFollowers() throws SQLException {
        write("a1", "b1", "c1", "a2", "b2", "b3", "c2");
        fail("a1");
        claimed();
        List<String> settled = List.of("a1", "b1", "b2");
        Set<Long> inDoubt = settled.stream().map(database::sequence).collect(Collectors.toSet());

        database.whileInDoubt(
                database.settling(settled),
                () -> assertThat(store.heldUp().inDoubt(inDoubt)).isEqualTo(new HeldUpKeys(2, 2, Duration.ZERO)));
    }

    /** A batch has room for two of nine queues. Without a random start, the last ones would starve. */
    @Test
    void blockedKeysWithLargeMessagesDelayNeitherEachOtherNorThePartition() {
        List<String> keys = List.of("a", "b", "c", "d", "e", "f", "g", "h");
        for (int i = 1; i <= 3; i++) {
            for (String key : keys) {
                store.capture().write(List.of(message(key, key + i + "x".repeat(900))));
            }
        }
        write("z1", "z2");
        keys.forEach(key -> fail(key + 1 + "x".repeat(900)));
        claimed();
        database.makeDue();
        ClaimLimits two = limits(1, 500, 2000);
        Set<String> heads = new TreeSet<>();
        for (int batch = 0; batch < 150 && heads.size() < 9; batch++) {
            claimed(two).stream()
                    .filter(text -> text.startsWith("1", 1))
                    .forEach(text -> heads.add(text.substring(0, 2)));
        }
        assertThat(heads).containsExactly("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "z1");

        List<String> served = new ArrayList<>();
        for (int batch = 0; batch < 100 && served.size() < 26; batch++) {
            List<String> texts = claimed(two);
            served.addAll(texts.stream().map(text -> text.substring(0, 2)).toList());
            publish(texts.toArray(String[]::new));
        }
        assertThat(served).hasSize(26).doesNotHaveDuplicates();
        keys.forEach(key -> assertThat(served).containsSubsequence(key + 1, key + 2, key + 3));
    }

    @Test
    void claimCostsTheSameHoweverManyFollowersThereAre() {
        write("a0");
        fail("a0");
        write("b1");
        int few = statementsOfAClaim();
        List<NewMessage> followers = new ArrayList<>();
        for (int i = 1; i <= 3000; i++) {
            followers.add(message("a", "a" + i));
        }
        store.capture().write(followers);

        int claims = 0;
        while (inPartition().size() > 1) {
            assertThat(claimed()).as("the followers hide nothing").isSubsetOf("b1");
            assertThat(++claims).isLessThan(10);
        }

        assertThat(statementsOfAClaim()).isEqualTo(few);
    }

    @Test
    void keyIsSentInOrderWhenItIsDueAndThenIsNoLongerBlocked() {
        write("a1", "a2");
        fail("a1");
        claimed();
        write("a3");
        database.makeDue();

        assertThat(claimed()).as("a3 comes next").containsExactly("a1", "a2");
        assertThat(inPartition()).isEmpty();
        assertThat(claimed()).containsExactly("a1", "a2", "a3");
        publish("a1", "a2", "a3");
        write("a4");

        assertThat(claimed()).containsExactly("a4");
        assertThat(inPartition()).containsExactly("a4");
        assertThat(blockedKeys()).isZero();
    }

    @Test
    void followersJoinABlockedKeyOfWhichABatchHoldsAPartOnly() {
        write("a1", "a2", "a3");
        fail("a1");
        claimed();
        write("a4");
        database.makeDue();

        assertThat(claimed(limits(1, 4, 1_000_000))).containsExactly("a1", "a2");

        assertThat(inPartition()).isEmpty();
        publish("a1", "a2", "a3");
        assertThat(claimed()).containsExactly("a4");
    }

    @Test
    void headThatFailsAgainKeepsItsKeyBlocked() {
        write("a1", "a2");
        fail("a1");
        claimed();
        database.makeDue();
        settle(new Retry(database.sequence("a1"), OutboxStatus.FAILED, 2, Duration.ofHours(1), "refused", true));

        assertThat(claimed()).isEmpty();
        database.makeDue();
        publish("a1");
        fail("a2");
        assertThat(claimed()).isEmpty();
        assertThat(blockedKeys()).isEqualTo(1);
        database.makeDue();
        assertThat(claimed()).containsExactly("a2");
    }

    @Test
    void headThatIsAbandonedAndSkippedLetsItsFollowersGoOn() {
        write("a1", "a2");
        fail("a1");
        claimed();
        database.makeDue();
        settle(new Retry(database.sequence("a1"), OutboxStatus.ABANDONED, 2, null, "never", false));

        assertThat(claimed()).containsExactly("a2");

        change(store, MessageOperation.RETRY, OutboxFilter.all().withStatus(OutboxStatus.ABANDONED));
        publish("a2");
        assertThat(claimed()).as("and comes back to the partition").containsExactly("a1");
    }

    @Test
    void operatorWhoEndsTheWaitingStrandsNothing() {
        for (MessageOperation change : List.of(MessageOperation.RETRY, MessageOperation.DISCARD)) {
            for (boolean abandoned : List.of(true, false)) {
                String key = change.name() + abandoned + "-";
                write(key + "1", key + "2");
                fail(key + "1", abandoned);
                assertThat(claimed()).isEmpty();
                assertThat(inPartition()).isEmpty();

                assertThat(change(
                                store,
                                change,
                                OutboxFilter.all()
                                        .withStatus(abandoned ? OutboxStatus.ABANDONED : OutboxStatus.FAILED)))
                        .hasSize(1);

                String[] sent = change == MessageOperation.RETRY
                        ? new String[] {key + "1", key + "2"}
                        : new String[] {key + "2"};
                assertThat(claimed()).containsExactly(sent);
                publish(sent);
                assertThat(claimed()).isEmpty();
                assertThat(blockedKeys()).isZero();
            }
        }
    }

    @Test
    void replayedMessageWaitsForItsBlockedKey() {
        write("a1", "a2", "a3");
        publish("a1");
        fail("a2");
        claimed();

        change(store, MessageOperation.REPLAY, OutboxFilter.all());

        assertThat(claimed()).isEmpty();
        assertThat(inPartition()).isEmpty();
        database.makeDue();
        assertThat(claimed()).containsExactly("a1", "a2", "a3");
    }

    /** No node may send from a blocked key's queue while one of its messages may be in flight. */
    @Test
    void inDoubtMessageOfABlockedKeyDelaysThatKeyOnly() throws SQLException {
        List<String> others = new ArrayList<>();
        for (char key = 'a'; key <= 'z'; key++) {
            write(key + "1", key + "2");
            fail(key + "1");
            if (key > 'a') {
                others.addAll(List.of(key + "1", key + "2"));
            }
        }
        while (claimedAnything() || !inPartition().isEmpty()) {
            assertThat(claimed()).isEmpty();
        }
        database.makeDue();

        database.whileInDoubt(database.settling(List.of("a1")), () -> assertThat(claimed())
                .containsExactlyInAnyOrderElementsOf(others));

        assertThat(claimed()).containsSubsequence("a1", "a2");
    }

    @Test
    void inDoubtBlockedKeysHideNoOthers() throws SQLException {
        for (int i = 0; i < 70; i++) {
            write("k" + i + "-1");
            fail("k" + i + "-1");
        }
        database.makeDue();
        write("z-1");
        settle(new Retry(database.sequence("z-1"), OutboxStatus.FAILED, 1, Duration.ZERO, "refused", true));
        String these = "UPDATE shop_queue /*! FORCE INDEX (PRIMARY) */ SET attempts = 7 WHERE seq IN (%s)"
                .formatted(String.join(", ", database.query("SELECT seq FROM shop_message WHERE payload <> 'z-1'")));

        database.whileInDoubt(these, () -> assertThat(claimed()).containsExactly("z-1"));
    }

    @Test
    void followersAreMovedUpToALockedOne() throws SQLException {
        write("a1", "a2", "a3", "a4");
        fail("a1");

        try (Connection holder = database.dataSource().getConnection()) {
            holder.setAutoCommit(false);
            Database.execute(
                    holder, "UPDATE shop_queue SET attempts = attempts WHERE seq = " + database.sequence("a3"));
            assertThat(claimed()).isEmpty();
            assertThat(inPartition()).containsExactly("a3", "a4");
            holder.rollback();
        }

        claimed();
        assertThat(inPartition()).isEmpty();
    }

    @Test
    void lockedBlockedKeyRowIsLeftAsItIs() throws SQLException {
        write("a1", "a2");
        fail("a1");
        claimed();
        publish("a1", "a2");
        database.makeDue();

        try (Connection holder = database.dataSource().getConnection()) {
            holder.setAutoCommit(false);
            Database.execute(holder, "UPDATE shop_blocked_key SET partition_id = partition_id");
            assertThat(claimed()).isEmpty();
            assertThat(blockedKeys()).isEqualTo(1);
            holder.rollback();
        }

        claimed();
        assertThat(blockedKeys()).isZero();
    }

    /**
     * A settle in doubt may have scheduled the next retry of the key. Until its outcome is known, the key has to wait.
     */
    @Test
    void deliveryInDoubtThatPostponesAMessageKeepsItsKeyWaiting() throws SQLException {
        write("a1", "a2", "b1");
        fail("a1");
        claimed();
        database.makeDue();
        String again = "UPDATE shop_queue SET attempts = 2, available_at = NULL, status = 2 WHERE seq = "
                + database.sequence("a1");

        database.whileInDoubt(again, () -> assertThat(claimed()).containsExactly("b1"));

        assertThat(claimed()).containsExactlyInAnyOrder("a1", "a2", "b1");
    }

    @Test
    void failedMessageWithoutAKeyWaitsBesideTheDelayedOnes() {
        store.capture().write(List.of(message(null, "n1"), message(null, "n2")));
        fail("n1");

        assertThat(claimed()).containsExactly("n2");
        assertThat(inPartition()).containsExactly("n2");
        store.delayed().release(DESTINATION);
        assertThat(claimed()).containsExactly("n2");
        database.makeDue();
        store.delayed().release(DESTINATION);
        assertThat(claimed()).containsExactly("n1", "n2");
    }

    @Test
    void messagesOfBlockedKeysAreCounted() {
        write("a1", "a2");
        fail("a1");
        claimed();

        assertThat(store.status().backlog().failed()).isEqualTo(1);
        assertThat(store.status().backlog().pending()).isEqualTo(1);
        assertThat(store.status().backlog().oldest())
                .isEqualTo(store.finder()
                        .find(OutboxFilter.all().withStatus(OutboxStatus.FAILED), OutboxPageRequest.of(100))
                        .get(0)
                        .createdAt());
        try (Connection connection = database.dataSource().getConnection()) {
            assertThat(new PartitionSetup(
                                    TestDatabase.config(SchemaMode.NONE, "other", 1),
                                    database.kind().dialect(),
                                    Set.of())
                            .otherApplications(connection))
                    .containsExactly("shop");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void blockedKeysOfAnotherApplicationAreNotServed() {
        JdbcOutboxStore other = database.open(SchemaMode.CREATE, "other", 1);
        other.capture().write(List.of(message("a", "theirs")));
        fail("theirs");
        database.makeDue();
        write("a1");

        assertThat(claimed()).containsExactly("a1");
        try (Claim claim = claim(other, ALL)) {
            assertThat(texts(claim.messages())).containsExactly("theirs");
        }
    }

    private void write(String... texts) {
        store.capture()
                .write(Arrays.stream(texts)
                        .map(text -> message(text.substring(0, text.length() - 1), text))
                        .toList());
    }

    private void fail(String text) {
        fail(text, false);
    }

    private void fail(String text, boolean abandoned) {
        settle(
                abandoned
                        ? new Retry(database.sequence(text), OutboxStatus.ABANDONED, 1, null, "never", true)
                        : new Retry(
                                database.sequence(text), OutboxStatus.FAILED, 1, Duration.ofHours(1), "refused", true));
    }

    private void settle(Retry retry) {
        store.settlements().settleUnsent(unsent(List.of(retry)));
    }

    private void publish(String... texts) {
        store.settlements()
                .settleSent(sent(Stream.of(texts).map(database::sequence).toList()));
    }

    private boolean claimedAnything() {
        try (Claim claim = claim(store, ALL)) {
            return !claim.isEmpty() || claim.maintain();
        }
    }

    private List<String> claimed() {
        return claimed(ALL);
    }

    /** Claims anew while only maintenance was due, as a worker does. */
    private List<String> claimed(ClaimLimits limits) {
        while (true) {
            try (Claim claim = claim(store, limits)) {
                if (!claim.isEmpty() || !claim.maintain()) {
                    return texts(claim.messages());
                }
            }
        }
    }

    private List<String> inPartition() {
        return database.query("SELECT m.payload FROM shop_queue q JOIN shop_message m ON m.seq = q.seq"
                + " WHERE q.queue_id IN (SELECT id FROM shop_partition WHERE partition_no < 4094) ORDER BY q.seq");
    }

    private int blockedKeys() {
        return database.query("SELECT id FROM shop_blocked_key").size();
    }

    private int statementsOfAClaim() {
        WatchedSource watched = new WatchedSource(database.dataSource(), Connection.TRANSACTION_READ_COMMITTED);
        JdbcOutboxStore counted = JdbcOutboxStore.open(
                watched.dataSource(), TestDatabase.config(SchemaMode.NONE, "shop", 1), Set.of(DESTINATION, "audit"));
        int before = watched.executed();
        claim(counted, ALL).close();
        return watched.executed() - before;
    }
}
