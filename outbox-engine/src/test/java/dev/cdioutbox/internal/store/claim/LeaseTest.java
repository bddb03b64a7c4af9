package dev.cdioutbox.internal.store.claim;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.WatchedSource;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.settle.SentSettlement;
import dev.cdioutbox.internal.store.sql.Connections.LocalTransaction;
import dev.cdioutbox.internal.store.sql.Sql;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Guards claims by lease: a partition's row has an owner, and an end by the database's clock. */
class LeaseTest extends StoreContract {
    private static final ClaimLimits ALL = limits(4, 500, 1_000_000);
    private static final ClaimLimits ONE = limits(1, 500, 1_000_000);

    private final JdbcOutboxStore store = database.open(4);
    private final JdbcOutboxStore otherNode = database.open(4);

    LeaseTest(Database kind) {
        super(kind);
    }

    @Test
    void leasedPartitionIsNotClaimedUntilItIsGivenBack() {
        store.capture().write(numbered(0, 40, 20));

        try (Claim claim = claim(store, lease(store), ALL)) {
            assertThat(claim.messages()).hasSize(40);
            assertThat(claimed(otherNode)).isEmpty();
            assertThat(claimedByLock(otherNode)).as("who claims by lock").isEmpty();
        }

        assertThat(claimed(otherNode)).hasSize(40);
        assertThat(claimedByLock(otherNode)).hasSize(40);
    }

    @Test
    void claimLeasesNoMoreThanItsShare() {
        store.capture().write(numbered(0, 40, 20));

        try (Claim one = claim(store, lease(store), ONE);
                Claim others = claim(otherNode, lease(otherNode), ALL)) {
            assertThat(one.partitions()).hasSize(1);
            assertThat(others.partitions()).hasSize(3).doesNotContainAnyElementsOf(one.partitions());
            assertThat(one.messages().size() + others.messages().size()).isEqualTo(40);
        }
    }

    @Test
    void leaseOfADeadNodeRunsOut() {
        store.capture().write(numbered(0, 8, 8));
        claim(store, lease(store), ALL);
        assertThat(claimed(otherNode)).isEmpty();

        runOut();

        assertThat(claimed(otherNode)).hasSize(8);
    }

    @Test
    void ownerThatLostItsLeaseCannotSettle() {
        store.capture().write(List.of(message("a", "a1")));
        SentSettlement sent = sent(List.of(database.sequence("a1")));
        Reservation lost = lease(store);
        Claim slow = claim(store, lost, ALL);
        runOut();
        Reservation kept = lease(otherNode);

        try (Claim now = claim(otherNode, kept, ALL)) {
            assertThat(texts(now.messages())).containsExactly("a1");
            assertThatThrownBy(lost::prove)
                    .isInstanceOf(OutboxException.class)
                    .hasMessageStartingWith("OBX-0312: a lease of 10 min ran out");
            store.claims().renewLeases();
            assertThat(running()).as("the lease of another node").isEqualTo(1);
            assertThat(database.statuses()).containsExactly("PENDING");

            slow.close();
            assertThat(claimed(store)).as("it gave back what it had only").isEmpty();
            kept.prove();
            otherNode.settlements().settleSent(sent);
        }
        assertThat(database.statuses()).containsExactly("PUBLISHED");
    }

    @Test
    void expiredLeaseThatWasNotTakenOverIsGoodForSettling() {
        store.capture().write(List.of(message("a", "a1")));
        Reservation lease = lease(store);
        try (Claim slow = claim(store, lease, ALL)) {
            assertThat(slow.messages()).hasSize(1);
            runOut();

            assertThatCode(lease::prove).doesNotThrowAnyException();
        }
    }

    /** A node that is suspended meanwhile keeps the lock, and must not stop the claims of others. */
    @Test
    void partitionWhoseOwnerSettlesIsLeftOutByOthers() throws SQLException {
        store.capture().write(numbered(0, 40, 20));
        LeaseReservation lease = lease(store);
        try (Claim slow = claim(store, lease, ONE);
                Connection settling = database.dataSource().getConnection()) {
            runOut();
            settling.setAutoCommit(false);
            fence(settling, lease);

            try (Claim others = claim(otherNode, lease(otherNode), ALL)) {
                assertThat(others.partitions()).hasSize(3).doesNotContainAnyElementsOf(slow.partitions());
            }
            settling.rollback();
        }
    }

    @Test
    void leaseThatIsRenewedIsKept() {
        store.capture().write(List.of(message("a", "a1")));
        try (Claim claim = claim(store, lease(store), ALL)) {
            runOut();

            store.claims().renewLeases();

            assertThat(claimed(otherNode)).isEmpty();
            assertThat(running()).isEqualTo(claim.partitions().size());
            runOut();
        }
        store.claims().renewLeases();
        assertThat(running()).as("none is kept after its claim").isZero();
    }

    /** Otherwise this node would renew it for ever, and nobody would send the messages of its partitions. */
    @Test
    void leaseOfAClaimWhoseConnectionBreaksRunsOut() throws SQLException {
        store.capture().write(List.of(message("a", "a1")));
        Connection breaking = database.dataSource().getConnection();
        breaking.setAutoCommit(false);
        LeaseReservation reservation = lease(store);
        reservation.reserve(breaking, 0, ALL);
        assertThat(running()).isEqualTo(1);
        breaking.close();

        LocalTransaction broken = new LocalTransaction(breaking, Connection.TRANSACTION_READ_COMMITTED);
        assertThatThrownBy(() -> reservation.release(broken)).isInstanceOf(SQLException.class);

        runOut();
        store.claims().renewLeases();
        assertThat(running()).isZero();
    }

    @Test
    void leaseThatCannotBeRenewedLetsNoOtherOneRunOut() {
        WatchedSource watched = new WatchedSource(database.dataSource(), Connection.TRANSACTION_READ_COMMITTED);
        JdbcOutboxStore node = JdbcOutboxStore.open(
                watched.dataSource(), TestDatabase.config(SchemaMode.NONE, "shop", 4), Set.of(DESTINATION, "audit"));
        store.capture().write(numbered(0, 40, 20));
        try (Claim first = claim(node, lease(node), ONE);
                Claim second = claim(node, lease(node), ONE)) {
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
    void eachFailureToRenewIsTold() {
        AtomicBoolean isAway = new AtomicBoolean();
        WatchedSource watched = new WatchedSource(
                database.dataSource(),
                Connection.TRANSACTION_READ_COMMITTED,
                () -> isAway.get() ? "SELECT 1 FROM no_such_table" : null);
        JdbcOutboxStore node = JdbcOutboxStore.open(
                watched.dataSource(), TestDatabase.config(SchemaMode.NONE, "shop", 4), Set.of(DESTINATION, "audit"));
        store.capture().write(numbered(0, 40, 20));
        try (Claim first = claim(node, lease(node), ONE);
                Claim second = claim(node, lease(node), ONE)) {
            isAway.set(true);
            assertThatThrownBy(node.claims()::renewLeases)
                    .extracting(Throwable::getSuppressed, as(InstanceOfAssertFactories.array(Throwable[].class)))
                    .singleElement()
                    .isInstanceOf(OutboxException.class);
            assertThat(first.partitions()).isNotEqualTo(second.partitions());
            isAway.set(false);
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
            try (Claim claim = claim(node, lease(node), ALL)) {
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
        LeaseReservation lease = lease(store);
        try (Claim settled = claim(store, lease, ONE);
                Claim other = claim(store, lease(store), ONE);
                Connection settling = database.dataSource().getConnection()) {
            runOut();
            settling.setAutoCommit(false);
            fence(settling, lease);

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
        LeaseReservation lease = lease(store);
        try (Claim claim = claim(store, lease, ALL)) {
            assertThat(claim.messages()).hasSize(1);
            Dialect dialect = database.kind().dialect();
            String bounds =
                    "SELECT id FROM shop_partition WHERE owner = '%s' AND leased_until > %s AND leased_until <= %s"
                            .formatted(lease.lease().owner(), dialect.nowPlusMillis("?"), dialect.nowPlusMillis("?"));
            assertThat(database.query(bounds, 500_000L, 600_000L)).hasSize(1);
        }
    }

    @Test
    void messageInDoubtIsFoundWithoutWaiting() throws SQLException {
        store.capture().write(List.of(message("a", "a1"), message("b", "b1"), message("a", "a2")));

        database.whileInDoubt(database.settling(List.of("a1")), () -> {
            try (Claim claim = claim(store, lease(store), ALL)) {
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
                store.settlements().settleSent(sent(List.of(database.sequence("a1"))));
            }
            return store.pendingRows().lockable(rows);
        };
        try (Claim claim = TestMessages.claim(store, lease(store), 0, ALL, late)) {
            assertThat(texts(claim.messages())).containsExactly("b1");
        }
    }

    @Test
    void queuesAreMaintainedUnderALeaseToo() {
        store.capture().write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        store.settlements()
                .settleUnsent(unsent(List.of(new Retry(
                        database.sequence("a1"), OutboxStatus.FAILED, 1, Duration.ofHours(1), "refused", true))));

        assertThat(claimed(store)).containsExactly("b1");

        assertThat(database.query("SELECT DISTINCT queue_id FROM shop_queue WHERE "
                        + TestDatabase.ofMessages("message_key = 'a'")))
                .hasSize(1);
        database.makeDue();
        assertThat(claimed(store)).containsExactlyInAnyOrder("a1", "a2", "b1");
    }

    private static LeaseReservation lease(JdbcOutboxStore node) {
        return (LeaseReservation) node.claims().lease(DESTINATION, Duration.ofMinutes(10));
    }

    private void fence(Connection connection, LeaseReservation lease) throws SQLException {
        new HeldLeases(new Sql(TestDatabase.PREFIX, database.kind().dialect())).fence(connection, lease.lease());
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

    private static List<String> claimed(JdbcOutboxStore node) {
        try (Claim claim = claim(node, lease(node), ALL)) {
            return texts(claim.messages());
        }
    }

    private static List<String> claimedByLock(JdbcOutboxStore node) {
        try (Claim claim = claim(node, ALL)) {
            return texts(claim.messages());
        }
    }
}
