package dev.cdioutbox.internal.store.claim;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.WatchedSource;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Guards that rows in doubt hold back their own keys only, even if they fill a page, and while other messages can be
 * sent.
 */
class InDoubtRowsTest extends StoreContract {
    /** The number of rows of a partition's queue in one page. */
    private static final int PAGE = 4;

    private final JdbcOutboxStore store = database.open(1);

    InDoubtRowsTest(Database kind) {
        super(kind);
    }

    /** Only one of the two partitions has a page full of rows in doubt. */
    @Test
    void partitionIsReadBehindAPageInDoubtBesideAnotherOne() throws SQLException {
        JdbcOutboxStore two = database.open(SchemaMode.CREATE, "two", 2);
        two.capture().write(keyed(IntStream.range(0, 40).mapToObj(i -> "k" + i).toArray(String[]::new)));
        List<String> first = inPartition(0);
        List<String> second = inPartition(1);
        assertThat(first).hasSizeGreaterThan(PAGE);
        assertThat(second).hasSizeGreaterThan(PAGE);

        List<String> doubtful = first.subList(0, PAGE);
        database.whileInDoubt(database.settling(doubtful), () -> assertThat(free(two, limits(2, 2 * PAGE, 1_000_000)))
                .contains(first.get(PAGE))
                .contains(second.get(0))
                .doesNotContainAnyElementsOf(doubtful));
    }

    @Test
    void inDoubtBlockedKeysHideNoOtherBlockedKeysBesideAFreeMessage() throws SQLException {
        List<String> doubtful = IntStream.range(0, 70).mapToObj(i -> "k" + i).collect(Collectors.toList());
        store.capture().write(keyed(doubtful.toArray(String[]::new)));
        fail(store, doubtful);
        database.makeDue();
        store.capture().write(keyed("gated", "free"));
        fail("gated", Duration.ZERO);

        database.whileInDoubt(database.settling(doubtful), () -> assertThat(free(store, all()))
                .containsExactlyInAnyOrder("gated", "free"));
    }

    @Test
    void followersOfAnInDoubtMessageOfABlockedKeyHideNothing() throws SQLException {
        store.capture().write(keyed("a"));
        fail("a", Duration.ofHours(1));
        database.makeDue();
        followers("a");
        store.capture().write(keyed("behind"));

        database.whileInDoubt(database.settling(List.of("a")), () -> assertThat(free(store, limits(1, PAGE, 1_000_000)))
                .containsExactly("behind"));

        assertThat(free(store, all())).contains("a", "behind");
    }

    /** While a transaction is in doubt for an hour, very many messages of its keys may come. */
    @Test
    void claimReadsNoPayloadsOfFollowersInDoubt() throws SQLException {
        store.capture().write(keyed("a"));
        followers("a");
        int behindFew = statementsOfAClaim("behind few");
        store.capture().write(messages("a", 100 * PAGE));

        assertThat(statementsOfAClaim("behind many")).isEqualTo(behindFew);
    }

    /** Each page that is larger than the last one has a statement. */
    private int statementsOfAClaim(String free) throws SQLException {
        store.capture().write(keyed(free));
        WatchedSource watched = new WatchedSource(database.dataSource(), Connection.TRANSACTION_READ_COMMITTED);
        JdbcOutboxStore node = JdbcOutboxStore.open(
                watched.dataSource(), TestDatabase.config(SchemaMode.NONE, "shop", 1), Set.of(DESTINATION, "audit"));
        int before = watched.executed();
        database.whileInDoubt(database.settling(List.of("a")), () -> assertThat(free(node, limits(1, PAGE, 1_000_000)))
                .contains(free));
        return watched.executed() - before;
    }

    /** A settle in doubt has locked the blocked key, so no follower can be moved to its queue. */
    @Test
    void followersOfAnInDoubtBlockedKeyHideNothing() throws SQLException {
        store.capture().write(keyed("a"));
        fail("a", Duration.ofHours(1));
        followers("a");
        store.capture().write(keyed("behind"));

        try (Connection holder = database.dataSource().getConnection()) {
            holder.setAutoCommit(false);
            Database.execute(holder, "UPDATE shop_blocked_key SET due_at = due_at");
            assertThat(free(store, limits(1, PAGE, 1_000_000))).containsExactly("behind");
            database.settle(OutboxStatus.PUBLISHED, "payload = 'behind'");
            store.capture()
                    .write(IntStream.range(0, 2 * PartitionFollowers.ROWS_SCANNED)
                            .mapToObj(i -> message("a", "later-" + i))
                            .toList());
            store.capture().write(keyed("far behind"));
            assertThat(free(store, limits(1, PAGE, 1_000_000))).containsExactly("far behind");
            holder.rollback();
        }
    }

    /** The maintenance reads only so many rows. */
    @Test
    void followersBehindManyRowsInDoubtHideNothing() throws SQLException {
        store.capture().write(keyed("a"));
        fail("a", Duration.ofHours(1));
        store.capture().write(messages("d", PartitionFollowers.ROWS_SCANNED));
        store.capture().write(messages("a", 100));
        store.capture().write(keyed("behind"));

        database.whileInDoubt(
                database.settling(List.of("d-0")),
                () -> assertThat(free(store, limits(1, PAGE, 1_000_000))).containsExactly("behind"));
    }

    /** Each claim moves a part of the followers. The messages behind them wait until most are moved. */
    @Test
    void followersThatAreTooManyToBeMovedAtOnceHideNothingForLong() throws SQLException {
        store.capture().write(keyed("a"));
        fail("a", Duration.ofHours(1));
        store.capture()
                .write(IntStream.range(0, PAGE)
                        .mapToObj(i -> message("a", "next-" + i))
                        .toList());
        free(store, all());
        store.capture()
                .write(IntStream.range(0, 2 * PartitionFollowers.ROWS_SCANNED + 2 * PAGE)
                        .mapToObj(i -> message("a", "later-" + i))
                        .toList());
        store.capture().write(keyed("behind"));

        List<List<String>> claims = IntStream.range(0, 2)
                .mapToObj(i -> free(store, limits(1, PAGE, 1_000_000)))
                .toList();
        assertThat(claims).containsExactly(List.of(), List.of("behind"));
    }

    /**
     * Each claim serves some of the due blocked keys, and these must not come before the others in the next claim. The
     * close of a claim must not wait for a row in doubt: the wait would not end.
     */
    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void blockedKeysBesideInDoubtOnesAreServedOneAfterTheOther() throws SQLException {
        if (database.kind().isInnoDb()) {
            // After MariaDB's default of 50 s, a waiting claim would continue, and the test's timeout would not detect
            // the wait.
            database.update("SET GLOBAL innodb_lock_wait_timeout = 1000000");
        }
        List<String> keys = IntStream.range(0, 70 + 150).mapToObj(i -> "k" + i).toList();
        store.capture().write(keyed(keys.toArray(String[]::new)));
        fail(store, keys);
        database.makeDue();
        List<String> doubtful = keys.subList(0, 70);

        database.whileInDoubt(database.settling(doubtful), () -> {
            List<String> served = new ArrayList<>();
            for (int claim = 0; claim < 3; claim++) {
                served.addAll(publishFree());
            }
            assertThat(served).containsExactlyInAnyOrderElementsOf(keys.subList(70, keys.size()));
        });
    }

    @AfterEach
    void waitsEndAgain() {
        if (database.kind().isInnoDb()) {
            database.update("SET GLOBAL innodb_lock_wait_timeout = DEFAULT");
        }
    }

    private List<String> publishFree() {
        try (Claim claim = claim(store, all())) {
            TestMessages.publishAll(store, claim);
            return texts(claim.messages());
        }
    }

    /** Blocked keys in doubt in one partition must not add parts to the statement for the other partition. */
    @Test
    void statementIsNotLongerWithManyInDoubtBlockedKeys() throws SQLException {
        JdbcOutboxStore two = database.open(SchemaMode.CREATE, "two", 2);
        two.capture().write(keyed(IntStream.range(0, 300).mapToObj(i -> "k" + i).toArray(String[]::new)));
        List<String> doubtful = inPartition(0);
        fail(two, database.query("SELECT payload FROM shop_message"));
        database.makeDue();
        int normal = longestStatement();

        database.whileInDoubt(database.settling(doubtful), () -> assertThat(longestStatement())
                .isEqualTo(normal));
    }

    private int longestStatement() {
        WatchedSource watched = new WatchedSource(database.dataSource(), Connection.TRANSACTION_READ_COMMITTED);
        JdbcOutboxStore node = JdbcOutboxStore.open(
                watched.dataSource(), TestDatabase.config(SchemaMode.NONE, "two", 2), Set.of(DESTINATION, "audit"));
        assertThat(free(node, limits(2, 500, 1_000_000))).isNotEmpty();
        return watched.longest();
    }

    private void followers(String key) {
        store.capture().write(messages(key, 3 * PAGE));
    }

    private static List<NewMessage> messages(String key, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> message(key, key + "-" + i))
                .toList();
    }

    private void fail(String text, Duration delay) {
        store.settlements().settleUnsent(unsent(List.of(failed(text, delay))));
    }

    /** Of different keys, in one transaction. */
    private void fail(JdbcOutboxStore by, List<String> texts) {
        List<Retry> retries =
                texts.stream().map(text -> failed(text, Duration.ofHours(1))).toList();
        by.settlements().settleUnsent(unsent(retries));
    }

    private Retry failed(String text, Duration delay) {
        return new Retry(database.sequence(text), OutboxStatus.FAILED, 1, delay, "refused", true);
    }

    private List<String> inPartition(int number) {
        return database.query(
                "SELECT payload FROM shop_message WHERE MOD(partition_id, 4096) = ? ORDER BY seq",
                PartitionIds.FIRST_OF_KEYS + number);
    }

    private static ClaimLimits all() {
        return limits(1, 500, 1_000_000);
    }

    private static List<String> free(JdbcOutboxStore store, ClaimLimits limits) {
        try (Claim claim = claim(store, limits)) {
            return texts(claim.messages());
        }
    }
}
