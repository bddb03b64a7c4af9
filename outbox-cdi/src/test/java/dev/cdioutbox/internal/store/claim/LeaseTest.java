package dev.cdioutbox.internal.store.claim;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.SentSettlement;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.WatchedSource;
import dev.cdioutbox.internal.store.claim.PartitionQuery.Partitions;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import dev.cdioutbox.internal.store.sql.Sql;
import org.junit.jupiter.api.Test;

/** Guards claims by lease: a partition's row has an owner, and an end by the database's clock. */
class LeaseTest extends StoreContract {
    private static final ClaimLimits LEASED =
            new ClaimLimits(PartitionRange.ALL, 4, 500, 1_000_000, Duration.ofMinutes(10));
    private static final ClaimLimits LOCKED = limits(4, 500, 1_000_000);

    private final JdbcOutboxStore store = database.open(4);
    private final JdbcOutboxStore otherNode = database.open(4);

    LeaseTest(Database kind) {
        super(kind);
    }

    @Test
    void leasedPartitionIsNotClaimedUntilItIsGivenBack() {
        store.capture().write(numbered(0, 40, 20));

        try (Claim claim = claim(store, LEASED)) {
            assertThat(claim.messages()).hasSize(40);
            assertThat(claimed(otherNode, LEASED)).isEmpty();
            assertThat(claimed(otherNode, LOCKED)).as("who claims by lock").isEmpty();
        }

        assertThat(claimed(otherNode, LEASED)).hasSize(40);
        assertThat(claimed(otherNode, LOCKED)).hasSize(40);
    }

    @Test
    void claimLeasesNoMoreThanItsShare() {
        store.capture().write(numbered(0, 40, 20));

        try (Claim one = claim(store, new ClaimLimits(PartitionRange.ALL, 1, 500, 1_000_000, Duration.ofMinutes(10)));
                Claim others = claim(otherNode, LEASED)) {
            assertThat(one.partitions()).hasSize(1);
            assertThat(others.partitions()).hasSize(3).doesNotContainAnyElementsOf(one.partitions());
            assertThat(one.messages().size() + others.messages().size()).isEqualTo(40);
        }
    }

    @Test
    void leaseOfADeadNodeRunsOut() {
        store.capture().write(numbered(0, 8, 8));
        claim(store, LEASED);
        assertThat(claimed(otherNode, LEASED)).isEmpty();

        runOut();

        assertThat(claimed(otherNode, LEASED)).hasSize(8);
    }

    @Test
    void ownerThatLostItsLeaseCannotSettle() {
        store.capture().write(List.of(message("a", "a1")));
        SentSettlement sent = sent(List.of(database.sequence("a1")));
        Claim slow = claim(store, LEASED);
        runOut();

        try (Claim now = claim(otherNode, LEASED)) {
            assertThat(texts(now.messages())).containsExactly("a1");
            assertThatThrownBy(() -> store.settlements().settleSent(sent, slow.lease()))
                    .isInstanceOf(OutboxException.class)
                    .hasMessageStartingWith("OBX-0312: a lease of 10 min ran out");
            assertThatThrownBy(() -> store.settlements()
                            .settleUnsent(unsent(sent.sequences(), List.of(), RetentionConfig.DEFAULT), slow.lease()))
                    .hasMessageStartingWith("OBX-0312");
            store.claims().renewLeases();
            assertThat(running()).as("the lease of another node").isEqualTo(1);
            assertThat(database.statuses()).containsExactly("PENDING");

            slow.close();
            assertThat(claimed(store, LEASED))
                    .as("it gave back what it had only")
                    .isEmpty();
            otherNode.settlements().settleSent(sent, now.lease());
        }
        assertThat(database.statuses()).containsExactly("PUBLISHED");
    }

    @Test
    void expiredLeaseThatWasNotTakenOverIsGoodForSettling() {
        store.capture().write(List.of(message("a", "a1")));
        try (Claim slow = claim(store, LEASED)) {
            runOut();

            store.settlements().settleSent(sent(List.of(database.sequence("a1"))), slow.lease());
        }
        assertThat(database.statuses()).containsExactly("PUBLISHED");
    }

    /** A node that is suspended meanwhile keeps the lock, and must not stop the claims of others. */
    @Test
    void partitionWhoseOwnerSettlesIsLeftOutByOthers() throws SQLException {
        store.capture().write(numbered(0, 40, 20));
        ClaimLimits one = new ClaimLimits(PartitionRange.ALL, 1, 500, 1_000_000, Duration.ofMinutes(10));
        try (Claim slow = claim(store, one);
                Connection settling = database.dataSource().getConnection()) {
            runOut();
            settling.setAutoCommit(false);
            leases().fence(settling, slow.lease());

            try (Claim others = claim(otherNode, LEASED)) {
                assertThat(others.partitions()).hasSize(3).doesNotContainAnyElementsOf(slow.partitions());
            }
            settling.rollback();
        }
    }

    @Test
    void leaseThatIsRenewedIsKept() {
        store.capture().write(List.of(message("a", "a1")));
        try (Claim claim = claim(store, LEASED)) {
            runOut();

            store.claims().renewLeases();

            assertThat(claimed(otherNode, LEASED)).isEmpty();
            assertThat(running()).isEqualTo(claim.partitions().size());
            runOut();
        }
        store.claims().renewLeases();
        assertThat(running()).as("none is kept after its claim").isZero();
    }

    /** Otherwise this node would renew it for ever, and nobody would send the messages of its partitions. */
    @Test
    void leaseOfAClaimWhoseConnectionBreaksRunsOut() throws SQLException {
        LeaseTable leases = leases();
        Partitions one =
                new Partitions(List.of(store.claims().partitionOf(message("a", "a1"))), List.of(), false, false);
        Connection breaking = database.dataSource().getConnection();
        breaking.setAutoCommit(false);
        Reservation reservation = leases.take(breaking, one, LEASED);
        assertThat(leases.held()).hasSize(1);
        breaking.close();

        assertThatThrownBy(() -> reservation.release(breaking)).isInstanceOf(SQLException.class);

        assertThat(leases.held()).isEmpty();
    }

    @Test
    void leaseThatCannotBeRenewedLetsNoOtherOneRunOut() {
        WatchedSource watched = new WatchedSource(database.dataSource(), Connection.TRANSACTION_READ_COMMITTED);
        JdbcOutboxStore node = JdbcOutboxStore.open(
                watched.dataSource(), TestDatabase.config(SchemaMode.NONE, "shop", 4), Set.of(DESTINATION, "audit"));
        store.capture().write(numbered(0, 40, 20));
        ClaimLimits one = new ClaimLimits(PartitionRange.ALL, 1, 500, 1_000_000, Duration.ofMinutes(10));
        try (Claim first = claim(node, one);
                Claim second = claim(node, one)) {
            runOut();
            watched.failAt(1);
            assertThatThrownBy(node.claims()::renewLeases).hasMessageStartingWith("OBX-0302: renewing a lease failed");
            assertThat(running()).isEqualTo(1);
            assertThat(first.partitions()).isNotEqualTo(second.partitions());

            node.claims().renewLeases();
            assertThat(running()).isEqualTo(2);
        }
    }

    @Test
    void claimThatFailsHalfWayLeavesNoLease() {
        WatchedSource watched = new WatchedSource(database.dataSource(), Connection.TRANSACTION_READ_COMMITTED);
        JdbcOutboxStore node = JdbcOutboxStore.open(
                watched.dataSource(), TestDatabase.config(SchemaMode.NONE, "shop", 4), Set.of(DESTINATION, "audit"));
        store.capture().write(numbered(0, 40, 20));
        int failed = 0;
        boolean succeeds = false;
        while (!succeeds) {
            watched.failAt(++failed);
            try (Claim claim = claim(node, LEASED)) {
                watched.failAt(0);
                succeeds = !claim.messages().isEmpty();
            } catch (OutboxException e) {
                assertThat(running()).as("leases after %s", e.getMessage()).isZero();
            }
        }
        assertThat(failed).as("the steps of a claim").isGreaterThan(8);
    }

    /** A settlement may wait long for a row, and locks its partitions meanwhile. */
    @Test
    void leaseThatIsBeingSettledLetsNoOtherOneRunOut() throws SQLException {
        store.capture().write(numbered(0, 40, 20));
        ClaimLimits one = new ClaimLimits(PartitionRange.ALL, 1, 500, 1_000_000, Duration.ofMinutes(10));
        try (Claim settled = claim(store, one);
                Claim other = claim(store, one);
                Connection settling = database.dataSource().getConnection()) {
            runOut();
            settling.setAutoCommit(false);
            leases().fence(settling, settled.lease());

            store.claims().renewLeases();
            assertThat(running()).isEqualTo(1);
            settling.commit();
            assertThat(other.partitions()).isNotEqualTo(settled.partitions());

            store.claims().renewLeases();
            assertThat(running()).isEqualTo(2);
        }
    }

    /** The end counts from the database's time, whatever the clock of the node shows. */
    @Test
    void leaseEndsByTheDatabaseClock() throws SQLException {
        store.capture().write(List.of(message("a", "a1")));
        try (Claim claim = claim(store, LEASED)) {
            Dialect dialect = database.kind().dialect();
            String bounds =
                    "SELECT id FROM shop_partition WHERE owner = '%s' AND leased_until > %s AND leased_until <= %s"
                            .formatted(claim.lease().owner(), dialect.nowPlusMillis("?"), dialect.nowPlusMillis("?"));
            assertThat(database.query(bounds, 500_000L, 600_000L)).hasSize(1);
        }
    }

    @Test
    void messageInDoubtIsFoundWithoutWaiting() throws SQLException {
        store.capture().write(List.of(message("a", "a1"), message("b", "b1"), message("a", "a2")));

        database.whileInDoubt(database.settling(List.of("a1")), () -> {
            try (Claim claim = claim(store, LEASED)) {
                assertThat(texts(claim.messages())).containsExactly("b1");
            }
        });
    }

    /** The claim's process was suspended after the read, and another node has taken the lease meanwhile. */
    @Test
    void messageThatAnotherNodeSettledSinceTheReadIsLeftOut() throws SQLException {
        store.capture().write(List.of(message("a", "a1"), message("b", "b1")));
        LockProbe late = rows -> {
            if (database.statuses().equals(List.of("PENDING", "PENDING"))) {
                store.settlements().settleSent(sent(List.of(database.sequence("a1"))), null);
            }
            return store.settlements().lockable(rows);
        };
        try (Claim claim = store.claims().claim(DESTINATION, 0, LEASED, late)) {
            assertThat(texts(claim.messages())).containsExactly("b1");
        }
    }

    @Test
    void queuesAreMaintainedUnderALeaseToo() {
        store.capture().write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        store.settlements()
                .settleUnsent(
                        unsent(List.of(new Retry(
                                database.sequence("a1"),
                                OutboxStatus.FAILED,
                                1,
                                Duration.ofHours(1),
                                "refused",
                                true))),
                        null);

        assertThat(claimed(store, LEASED)).containsExactly("b1");

        assertThat(database.query("SELECT DISTINCT queue_id FROM shop_queue WHERE "
                        + TestDatabase.ofMessages("message_key = 'a'")))
                .hasSize(1);
        database.makeDue();
        assertThat(claimed(store, LEASED)).containsExactlyInAnyOrder("a1", "a2", "b1");
    }

    private LeaseTable leases() {
        return new LeaseTable(new Sql(TestDatabase.PREFIX, database.kind().dialect()));
    }

    private int running() {
        return database.query("SELECT id FROM shop_partition WHERE leased_until > "
                        + database.kind().dialect().now())
                .size();
    }

    /** Lets all leases expire. */
    private void runOut() {
        database.setTime("partition", "leased_until", Instant.now().minusSeconds(3600), "leased_until IS NOT NULL");
    }

    private static List<String> claimed(JdbcOutboxStore store, ClaimLimits limits) {
        try (Claim claim = claim(store, limits)) {
            return texts(claim.messages());
        }
    }
}
