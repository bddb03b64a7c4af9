package dev.cdioutbox.internal.dispatch.upkeep;

import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.cdioutbox.internal.dispatch.DestinationWorker;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.store.Lease;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Guards dispatch by lease with a slow broker, and with a node that loses its lease. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class LeasedDispatchTest {
    private static final String PAST = "UPDATE shop_partition SET leased_until = DATEADD(HOUR, -1, CURRENT_TIMESTAMP)"
            + " WHERE leased_until IS NOT NULL";
    private static final List<String> TEN =
            IntStream.range(0, 10).mapToObj(String::valueOf).toList();

    @AutoClose
    private final DispatchScene scene = new DispatchScene(
            "outbox.dispatcher.delivery", "at-least-once",
            "outbox.dispatcher.claim", "lease",
            "outbox.partitions", "1");

    private final Dispatcher other = scene.dispatcher("node-2");
    private final DestinationWorker otherWorker = DispatchScene.workerOf(other);

    @Test
    void everythingIsSentOnceAndTheLeaseGivenBack() {
        scene.write(numbered(0, 10, 1));

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).isEqualTo(TEN);
        assertThat(scene.database.query("SELECT id FROM shop_partition WHERE owner IS NOT NULL"))
                .isEmpty();
    }

    /** The claim holds neither a connection nor a row lock: only the lease keeps the other node out. */
    @Test
    void batchBeingSentCannotBeClaimedByAnotherNode() {
        scene.write(numbered(0, 10, 1));
        scene.broker.onSend = message -> elsewhere(this::runOther);

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).isEqualTo(TEN);
    }

    @Test
    void slowBrokerDoesNotLetTheLeaseRunOutIfItIsRenewed() {
        scene.write(numbered(0, 10, 1));
        LeaseRenewer keeper = new LeaseRenewer(scene.store, scene.transactions);
        AtomicInteger sent = new AtomicInteger();
        scene.broker.onSend = message -> {
            Lease lease = lease();
            keeper.keep(lease, 0);
            scene.database.update(PAST);
            elsewhere(() -> keeper.renew(lease.length().toNanos() / 3));
            keeper.release(lease);
            elsewhere(this::runOther);
            sent.incrementAndGet();
        };

        assertThat(scene.run()).isNull();

        assertThat(sent).hasValue(10);
        assertThat(scene.broker.texts()).isEqualTo(TEN);
        assertThat(scene.database.statuses()).containsOnly("PUBLISHED");
    }

    @Test
    void leaseIsRenewedAfterAThirdOfItAndNotBefore() {
        scene.write(numbered(0, 1, 1));
        LeaseRenewer keeper = new LeaseRenewer(scene.store, scene.transactions);
        scene.broker.onSend = message -> {
            Lease lease = lease();
            keeper.keep(lease, 0);
            scene.database.update(PAST);
            elsewhere(() -> keeper.renew(Duration.ofSeconds(19).toNanos()));
            assertThat(running()).isZero();
            elsewhere(() -> keeper.renew(Duration.ofSeconds(20).toNanos()));
            assertThat(running()).isEqualTo(1);
            scene.database.update(PAST);
            elsewhere(() -> keeper.renew(Duration.ofSeconds(39).toNanos()));
            assertThat(running()).as("counted from the renewal").isZero();
            keeper.release(lease);
            elsewhere(() -> keeper.renew(Duration.ofHours(1).toNanos()));
            assertThat(running()).as("of a batch that is over").isZero();
        };

        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).containsExactly("0");
    }

    @Test
    void leaseWithoutPartitionsIsNotRenewed() {
        LeaseRenewer keeper = new LeaseRenewer(scene.store, scene.transactions);
        keeper.keep(new Lease("owner", List.of(), Duration.ofMinutes(1)), 0);

        keeper.renew(Duration.ofHours(1).toNanos());

        assertThat(scene.transactions.outsideCalls()).isZero();
    }

    @Test
    void leaseThatCannotBeRenewedLetsNoOtherOneRunOut() {
        scene.write(numbered(0, 1, 1));
        AtomicInteger calls = new AtomicInteger();
        Transactions failing = new Transactions() {
            @Override
            public <T> T inNew(Callable<T> work) throws Exception {
                return scene.transactions.inNew(work);
            }

            @Override
            public <T> T outside(Callable<T> work) throws Exception {
                if (calls.getAndIncrement() == 0) {
                    throw new IllegalStateException("the first one fails");
                }
                return scene.transactions.outside(work);
            }
        };
        LeaseRenewer keeper = new LeaseRenewer(scene.store, failing);
        scene.broker.onSend = message -> {
            Lease lease = lease();
            // The same lease twice, because the order of the renewals is not defined.
            keeper.keep(lease, 0);
            keeper.keep(new Lease(lease.owner(), lease.partitions(), Duration.ofMinutes(2)), 0);
            scene.database.update(PAST);
            elsewhere(() -> keeper.renew(Duration.ofHours(1).toNanos()));
            assertThat(running()).isEqualTo(1);
        };

        assertThat(scene.run()).isNull();
        assertThat(calls).hasValueGreaterThan(1);
    }

    /** A lost lease costs one more copy of the batch, and no further ones. */
    @Test
    void nodeThatIsPausedLongerThanItsLeaseSettlesNothing() {
        scene.write(numbered(0, 10, 1));
        AtomicInteger sends = new AtomicInteger();
        scene.broker.onSend = message -> {
            if (sends.getAndIncrement() == 0) {
                scene.database.update(PAST);
                elsewhere(this::runOther);
            }
        };

        assertThat(scene.run()).rootCause().hasMessageStartingWith("OBX-0312");
        assertThat(scene.broker.texts()).hasSize(20);
        assertThat(scene.broker.texts().subList(0, 10)).isEqualTo(TEN);
        assertThat(scene.database.query("SELECT DISTINCT attempts FROM shop_message"))
                .containsExactly("1");
        scene.broker.onSend = message -> sends.incrementAndGet();
        assertThat(scene.run()).isNull();
        assertThat(sends).hasValue(20);
    }

    private void runOther() {
        assertThat(otherWorker.run()).isNull();
    }

    /** On another thread, and so outside of this thread's transaction. */
    private static void elsewhere(Runnable what) {
        CompletableFuture.runAsync(what).join();
    }

    private Lease lease() {
        String owner = scene.database
                .query("SELECT owner FROM shop_partition WHERE owner IS NOT NULL")
                .get(0);
        int partition = Integer.parseInt(scene.database
                .query("SELECT id FROM shop_partition WHERE owner IS NOT NULL")
                .get(0));
        return new Lease(owner, List.of(partition), Duration.ofMinutes(1));
    }

    private int running() {
        return scene.database
                .query("SELECT id FROM shop_partition WHERE leased_until > CURRENT_TIMESTAMP")
                .size();
    }
}
