package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnership;
import dev.cdioutbox.internal.dispatch.ownership.ForeignOwnerMonitor;
import dev.cdioutbox.internal.dispatch.publish.DeliveryProtocol;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Exactly once by a transport that commits a marker with each batch, whatever happens between its commit and the settlement. */
@Tag("database")
class MarkerTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene();

    private final MarkerBroker broker = new MarkerBroker();
    private final AtomicLong nanos = new AtomicLong();
    private final DestinationWorker node = worker();
    private final DestinationWorker other = worker();

    private DestinationWorker worker() {
        return DispatchScene.workerOf(scene.dispatcher(broker, nanos::get, List.of()));
    }

    @Test
    void batchThatIsCommittedAndNotSettledIsSettledByTheNextNode() {
        send("first");
        broker.afterCommit = broker::die;
        scene.write("a", "second");
        assertThat(node.poll()).isNotNull();
        assertThat(scene.database.statuses()).containsExactly("PUBLISHED", "PENDING");
        broker.revive();
        scene.write("a", "third");

        assertThat(worker().poll()).isNull();
        assertThat(broker.committed).containsExactly("first", "second", "third");
        assertThat(scene.database.statuses()).containsOnly("PUBLISHED");
    }

    /** In the settlement of the follower's batch, which has a number of its own. */
    @Test
    void messageIsSkippedTogetherWithItsFollower() {
        scene.configure(() -> DispatchScene.config("outbox.retry.max-attempts", "1"));
        broker.onSend = message -> {
            if (message.body().text().equals("poison")) {
                throw FakeBroker.failure(Blame.UNKNOWN);
            }
        };
        scene.write("a", "poison");
        scene.write("a", "second");
        scene.write("a", "third");

        assertThat(node.poll()).isNull();

        assertThat(broker.committed).containsExactly("second", "third");
        assertThat(scene.column("status", "poison")).isEqualTo("ABANDONED");
        assertThat(scene.database.statuses()).containsExactly("ABANDONED", "PUBLISHED", "PUBLISHED");
    }

    @Test
    void messageThatWasDiscardedAfterItsCommitIsReported() {
        send("first");
        broker.afterCommit = broker::die;
        scene.write("a", "second");
        assertThat(node.poll()).isNotNull();
        broker.revive();
        TestMessages.change(scene.store, MessageOperation.DISCARD, OutboxFilter.all());
        scene.write("a", "third");

        try (LogLines log = new LogLines(DestinationOwnership.class.getPackageName() + ".TakeOver")) {
            assertThat(other.poll()).isNull();
            assertThat(log.all())
                    .singleElement(STRING)
                    .startsWith("OBX-0444: destination 'default': batch 2")
                    .contains("0 are settled now, and 1 were discarded");
        }
    }

    @Test
    void batchThatIsNotCommittedIsSentAgain() {
        broker.beforeCommit = broker::die;
        scene.write("a", "first");
        assertThat(node.poll()).isNotNull();
        broker.revive();

        assertThat(node.poll()).isNull();
        assertThat(broker.committed).containsExactly("first");
    }

    @Test
    void failedSettlementSendsNothingAgain() {
        scene.write("a", "first");
        scene.transactions.settlesAtMost = 0;
        assertThat(node.poll()).isNotNull();
        scene.transactions.settlesAtMost = Integer.MAX_VALUE;

        assertThat(node.poll()).isNull();
        assertThat(broker.committed).containsExactly("first");
        assertThat(scene.database.statuses()).containsOnly("PUBLISHED");
    }

    /** The rest of the batch must not wait for another claim, and what is committed must not be sent with it. */
    @Test
    void batchThatIsSplitAfterItsCommitIsNotSentAgain() {
        send("first");
        scene.write("a", "second");
        scene.write("a", "third");
        scene.transactions.failingCommits.set(1);

        assertThat(node.poll()).isNull();
        assertThat(broker.committed).containsExactly("first", "second", "third");
        assertThat(scene.database.statuses()).containsOnly("PUBLISHED");
    }

    /** The last attempt was committed by the broker; only the transaction manager has refused it. */
    @Test
    void messageThatWasSentIsNotChargedForARefusedCommit() {
        send("first");
        AtomicInteger attempts = new AtomicInteger();
        broker.beforeCommit = () -> {
            if (attempts.incrementAndGet() < 3) {
                throw new IllegalStateException("refused");
            }
            scene.transactions.failingCommits.set(1);
        };
        scene.write("a", "second");

        assertThat(node.poll()).isNull();
        assertThat(broker.committed).containsExactly("first", "second");
        assertThat(scene.database.statuses()).containsOnly("PUBLISHED");
    }

    /** A restored database gives the sequence of a message that was sent since the backup to another one. */
    @Test
    void messageThatHasOnlyTheSequenceOfASentOneIsNotSettled() {
        send("first");
        broker.afterCommit = broker::die;
        scene.write("a", "gone");
        assertThat(node.poll()).isNotNull();
        broker.revive();
        scene.database.update("UPDATE shop_message SET payload = 'anew', message_id = '%s' WHERE payload = 'gone'"
                .formatted(UUID.randomUUID()));

        assertThat(worker().poll()).hasMessageStartingWith("OBX-0443");
        assertThat(scene.column("status", "anew")).isEqualTo("PENDING");
    }

    /** Nobody can tell whether it is the one that was sent. */
    @Test
    void queueRowWithoutItsMessageIsNotSettled() {
        send("first");
        broker.afterCommit = broker::die;
        scene.write("a", "gone");
        assertThat(node.poll()).isNotNull();
        broker.revive();
        scene.database.update("DELETE FROM shop_message WHERE payload = 'gone'");

        assertThat(worker().poll()).hasMessageStartingWith("OBX-0443");
        assertThat(scene.database.query("SELECT COUNT(*) FROM shop_queue WHERE seq > 0"))
                .containsExactly("1");
    }

    /** It keeps its sequence, which the last marker has, too. */
    @Test
    void replayIsSentAgainByTheNextNode() {
        send("first");
        TestMessages.change(scene.store, MessageOperation.REPLAY, OutboxFilter.all());

        assertThat(worker().poll()).isNull();
        assertThat(broker.committed).containsExactly("first", "first");
    }

    @Test
    void batchOfExpiredMessagesAloneCommitsNoMarker() {
        send("first");
        scene.write("a", "expired");
        scene.database.setTime("message", "expires_at", Instant.EPOCH, "payload = 'expired'");
        assertThat(node.poll()).isNull();
        scene.write("a", "last");

        assertThat(worker().poll()).isNull();
        assertThat(broker.committed).containsExactly("first", "last");
    }

    @Test
    void nodeThatAnotherOneHasShutOutCommitsNothing() {
        send("first");
        scene.write("a", "second");
        broker.beforeCommit = () -> {
            broker.beforeCommit = () -> {};
            broker.takeOver(
                    ofDefaultOutbox(DESTINATION),
                    broker.markers.keySet().iterator().next());
        };
        assertThat(node.poll()).isNull();
        assertThat(broker.committed).containsExactly("first", "second");
    }

    /** The claim was lost before the commit, and the next node found the marker. */
    @Test
    void nodeThatWasReplacedAfterItsCommitSettlesNothing() {
        send("first");
        scene.write("a", "second");
        broker.afterCommit = () -> {
            broker.afterCommit = () -> {};
            scene.database.settle(OutboxStatus.PUBLISHED, "payload = 'second'");
            scene.database.update(
                    "UPDATE shop_partition SET fencing_token = REPLACE(fencing_token, ':1:', ':2:') WHERE partition_no = 4095");
        };
        assertThat(node.poll()).rootCause().hasMessageStartingWith("OBX-0445");
        assertThat(node.poll()).isNull();
        assertThat(broker.committed).containsExactly("first", "second");
    }

    /** The other node may have committed the message, and not settled it yet. */
    @Test
    void nodeThatWasReplacedBeforeItsSendFailedChargesNothing() {
        send("first");
        scene.write("a", "second");
        broker.onSend = message -> {
            broker.onSend = any -> {};
            scene.database.update(
                    "UPDATE shop_partition SET fencing_token = CONCAT(fencing_token, 'x') WHERE partition_no = 4095");
            throw FakeBroker.failure(Blame.MESSAGE);
        };
        assertThat(node.poll()).rootCause().hasMessageStartingWith("OBX-0445");
        assertThat(scene.column("status || attempts", "second")).isEqualTo("PENDING0");

        assertThat(node.poll()).isNull();
        assertThat(broker.committed).containsExactly("first", "second");
    }

    @Test
    void onlyOneNodeHoldsADestination() {
        send("first");
        int before = broker.takeOvers;
        scene.write("a", "second");
        broker.beforeCommit = () -> {
            broker.beforeCommit = () -> {};
            scene.write("b", "third");
            assertThat(other.poll()).isNull();
        };
        assertThat(node.poll()).as("looks again, for the other one").isNull();

        assertThat(broker.takeOvers).isEqualTo(before);
        assertThat(broker.committed).containsExactlyInAnyOrder("first", "second", "third");
    }

    @Test
    void nodeThatHoldsTheDestinationTakesItOverOnce() {
        send("first");
        send("second");
        assertThat(broker.takeOvers).isEqualTo(1);

        scene.write("a", "third");
        assertThat(other.poll()).isNull();
        send("fourth");
        assertThat(broker.takeOvers).isEqualTo(3);
        assertThat(broker.committed).containsExactly("first", "second", "third", "fourth");
    }

    /** It is suspended, and its session lives on. */
    @Test
    void nodeThatHoldsTheDestinationAndSettlesNothingIsReportedAfterAMinute() {
        send("first");
        scene.write("a", "second");
        try (LogLines log = new LogLines(ForeignOwnerMonitor.class.getName())) {
            try (Claim suspended = claim()) {
                assertThat(suspended.partitions()).hasSize(1);
                pollAfter(0);
                pollAfter(59);
                assertThat(log.all()).isEmpty();
                pollAfter(1);
                pollAfter(60);
                assertThat(log.all())
                        .singleElement(STRING)
                        .startsWith("OBX-0446: destination 'default': the database session of another node has held it"
                                + " for 1 min");
            }
            pollAfter(60);
            assertThat(broker.committed).containsExactly("first", "second");
        }
    }

    /** A commit makes it look in a part of the partitions, where it finds nothing. */
    @Test
    void claimThatLooksElsewhereDoesNotForgetWhoHoldsTheDestination() {
        send("first");
        scene.write("a", "second");
        other.useThreads(Runnable::run, Duration.ofHours(1));
        try (LogLines log = new LogLines(ForeignOwnerMonitor.class.getName());
                Claim suspended = claim()) {
            assertThat(suspended.partitions()).hasSize(1);
            pollAfter(0);
            assertThat(other.wake(new PartitionRange(1_000_000, 1_000_000))).isTrue();
            pollAfter(60);
            assertThat(log.all()).hasSize(1);
        }
    }

    /** Nodes that take turns would otherwise take over again and again, and send nothing. */
    @Test
    void nodeThatTakesOverSendsBeforeAnotherOneCan() {
        List<String> atRelease = new ArrayList<>();
        Dispatcher dispatcher = scene.dispatcher(broker, nanos::get, List.of(new DispatchListener() {
            @Override
            public void released(DestinationId destination, int partitions) {
                atRelease.add(partitions + " " + broker.committed.size());
            }
        }));
        scene.write("a", "first");

        assertThat(DispatchScene.workerOf(dispatcher).poll()).isNull();
        assertThat(atRelease.get(0)).isEqualTo("1 1");
    }

    @Test
    void nodeThatSettlesItsBatchesIsNotReported() {
        broker.beforeCommit = () -> pollAfter(60);
        try (LogLines log = new LogLines(ForeignOwnerMonitor.class.getName())) {
            send("first");
            send("second");
            send("third");
            assertThat(log.all()).isEmpty();
        }
    }

    @Test
    void holdThatEndsWithoutASettlementIsForgotten() {
        try (LogLines log = new LogLines(ForeignOwnerMonitor.class.getName())) {
            for (int i = 0; i < 2; i++) {
                scene.write("a", "discarded");
                try (Claim one = claim()) {
                    assertThat(one.partitions()).hasSize(1);
                    pollAfter(60);
                }
                TestMessages.change(scene.store, MessageOperation.DISCARD, OutboxFilter.all());
                pollAfter(0);
            }
            assertThat(log.all()).isEmpty();
        }
    }

    /** An idle destination costs no statement of its own. */
    @Test
    void ownerClaimsNothingWhileNothingWaits() {
        AtomicInteger claims = new AtomicInteger();
        Dispatcher dispatcher = scene.dispatcher(broker, nanos::get, List.of(new DispatchListener() {
            @Override
            public void claimed(DestinationId destination, int partitions, Duration took) {
                claims.incrementAndGet();
            }
        }));

        assertThat(DispatchScene.workerOf(dispatcher).poll()).isNull();

        assertThat(claims).hasValue(0);
    }

    private Claim claim() {
        return TestMessages.claim(
                scene.store,
                scene.store.claims().wholeDestination(DESTINATION, TestMessages.NOBODY),
                TestMessages.limits(64, 1, 1));
    }

    /** Polls with another node. */
    private void pollAfter(int seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
        assertThat(other.poll()).isNull();
    }

    @Test
    void nothingIsSentWhileTheMarkersAreLost() {
        send("first");
        broker.markers.clear();
        scene.write("a", "second");

        assertThat(other.poll()).hasMessageStartingWith("OBX-0443");
        assertThat(broker.committed).containsExactly("first");

        scene.database.update("UPDATE shop_partition SET fencing_token = NULL WHERE partition_no = 4095");
        assertThat(other.poll()).isNull();
        assertThat(broker.committed).containsExactly("first", "second");
    }

    /** Nobody knows which batch was settled last. The token was changed by hand, or by a newer version. */
    @Test
    void nothingIsSentWhileTheTokenIsNotOneOfTheOutbox() {
        send("first");
        scene.database.update("UPDATE shop_partition SET fencing_token = 'by hand' WHERE partition_no = 4095");
        scene.write("a", "second");

        assertThat(node.poll()).hasMessageStartingWith("OBX-0449").hasMessageContaining("'by hand'");
        assertThat(broker.committed).containsExactly("first");

        scene.database.update("UPDATE shop_partition SET fencing_token = NULL WHERE partition_no = 4095");
        assertThat(node.poll()).isNull();
        assertThat(broker.committed).containsExactly("first", "second");
    }

    /** The row had the number of the last settled batch. The next batch was sent, and would be sent again. */
    @Test
    void nothingIsSentAfterTheHoldersRowWasDeletedWhileMessagesWaited() {
        send("first");
        scene.write("a", "second");
        broker.afterCommit = broker::die;
        assertThat(node.poll()).isNotNull();
        broker.revive();
        scene.database.update("DELETE FROM shop_partition WHERE partition_no = 4095");
        assertThat(node.poll()).as("before the check").hasMessageStartingWith("OBX-0443");
        assertThat(scene.store.problem()).isNull();

        assertThat(node.poll()).hasMessageStartingWith("OBX-0443");
        assertThat(other.poll()).hasMessageStartingWith("OBX-0443");
        assertThat(broker.committed).containsExactly("first", "second");
    }

    @Test
    void nothingIsInDoubtIfTheHoldersRowWasDeletedWhileNoMessageWaited() {
        send("first");
        scene.database.update("DELETE FROM shop_partition WHERE partition_no = 4095");
        assertThat(scene.store.problem()).isNull();

        send("second");
        assertThat(broker.committed).containsExactly("first", "second");
    }

    /** Its markers would say nothing of the real destination, which follows it. */
    @Test
    void shadowDestinationGetsNoMarkers() {
        Map<String, OutboxPublisher> publishers = Map.of("jms", broker);
        OutboxConfig config = TestConfig.of(
                "outbox.destinations.copy.jndi", "jms/copy", "outbox.dispatcher.shadow-destination", "copy");

        assertThat(DestinationPublisher.of(publishers, ofDefaultOutbox(DESTINATION), TestConfig.of())
                        .protocol())
                .isEqualTo(DeliveryProtocol.MARKER);
        assertThat(DestinationPublisher.of(publishers, ofDefaultOutbox(DESTINATION), config)
                        .protocol())
                .isEqualTo(DeliveryProtocol.TWO_TRANSACTIONS);
    }

    /** Only one thread of one node sends, so it need not leave partitions to others. */
    @Test
    void claimLeavesNoPartitionsToOthers() {
        scene.configure(() ->
                DispatchScene.config("outbox.dispatcher.concurrency", "4", "outbox.dispatcher.max-partitions", "64"));
        List<Integer> claimed = new ArrayList<>();
        Dispatcher dispatcher = scene.dispatcher(broker, nanos::get, List.of(new DispatchListener() {
            @Override
            public void claimed(DestinationId destination, int partitions, Duration took) {
                claimed.add(partitions);
            }
        }));
        scene.store.nodes().writeHeartbeat(new ThisNode("node-2", "shop", "host-2", "server", 2, "1.0"), 0);
        dispatcher.checkNodes();
        scene.write(TestMessages.numbered(0, 100, 100));
        int waiting =
                scene.database.query("SELECT DISTINCT queue_id FROM shop_queue").size();

        assertThat(DispatchScene.workerOf(dispatcher).poll()).isNull();
        assertThat(claimed.get(0)).isEqualTo(waiting);
    }

    private void send(String text) {
        scene.write("a", text);
        assertThat(node.poll()).isNull();
    }
}
