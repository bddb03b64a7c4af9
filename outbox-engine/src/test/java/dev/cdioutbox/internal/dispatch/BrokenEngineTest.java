package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.settle.SentSettlement;
import dev.cdioutbox.internal.store.settle.SettlementStore;
import dev.cdioutbox.internal.store.settle.UnsentSettlement;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Guards the oracles of the other tests: each broken variant must go wrong on a real database, and the unchanged engine
 * must not. The model refutes the same variants in every order of steps (BrokenProtocolTest).
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class BrokenEngineTest {
    private static final String[] LEASE = {
        "outbox.partitions", "1", "outbox.dispatcher.delivery", "at-least-once", "outbox.dispatcher.lease", "PT1M"
    };

    @AutoClose
    private final DispatchScene scene =
            new DispatchScene(new TestDatabase(Database.POSTGRESQL), "outbox.partitions", "1");

    private final List<Claim> claims = new ArrayList<>();

    @Test
    void settlingBeforePublishingLosesMessages() {
        scene.write("a", "a1");
        dieWhileSending(scene.dispatcher);
        scene.run();
        assertThat(scene.broker.texts()).containsExactly("a1");

        scene.write("a", "a2");
        Dispatcher broken = broken((role, method, arguments) -> {
            if (method.getName().equals("claim")) {
                Claim claim = (Claim) ChangedStore.call(role, method, arguments);
                if (!claim.isEmpty()) {
                    scene.transactions.inNew(() -> {
                        TestMessages.publishAll(scene.store, claim);
                        return null;
                    });
                }
                return claim;
            }
            return method.getName().equals("lockable")
                    ? new HashSet<>((Collection<?>) arguments[0])
                    : isSettle(method) ? Set.of() : ChangedStore.call(role, method, arguments);
        });
        dieWhileSending(broken);
        scene.run();
        assertThat(scene.database.statuses()).containsExactly("PUBLISHED", "PUBLISHED");
        assertThat(scene.broker.texts()).as("a2 is lost").containsExactly("a1");
    }

    /** No node crashes; another node claims between the two commits. */
    @Test
    void claimThatEndsWithTheCommitOfTheDatabaseLetsFollowersOvertake() {
        assertThat(deliveredWithALookBetweenTheCommits(scene.dispatcher)).containsExactly("a1", "a2");

        scene.broker.taken();
        scene.transactions.databaseFirst = true;
        Dispatcher broken = broken((role, method, arguments) -> {
            if (method.getName().equals("claim")) {
                claims.add((Claim) ChangedStore.call(role, method, arguments));
                return claims.get(claims.size() - 1);
            }
            if (isSettle(method)) {
                claims.forEach(Claim::close);
            }
            return ChangedStore.call(role, method, arguments);
        });
        assertThat(deliveredWithALookBetweenTheCommits(broken)).containsExactly("a2", "a1");
    }

    private List<String> deliveredWithALookBetweenTheCommits(Dispatcher dispatcher) {
        scene.run();
        DispatchScene.workerOf(dispatcher).poll();
        scene.write("a", "a1");
        AtomicBoolean looked = new AtomicBoolean();
        scene.transactions.betweenCommits = () -> {
            if (scene.broker.staged() + scene.broker.delivered.size() > 0 && looked.compareAndSet(false, true)) {
                elsewhere(() -> scene.write("a", "a2"));
                elsewhere(DispatchScene.workerOf(scene.dispatcher("other", () -> scene.config, () -> false))::poll);
            }
        };
        OutboxConfig one = DispatchScene.config("outbox.partitions", "1", "outbox.dispatcher.batch-size", "1");
        scene.run(DispatchScene.workerOf(dispatcher), () -> one, () -> false);
        scene.transactions.betweenCommits = () -> {};
        scene.run();
        return scene.broker.texts();
    }

    /** The message's transaction is prepared, and will be rolled back. Until then its outcome is unknown. */
    @Test
    void followersThatPassAMessageInDoubtOvertakeIt() throws Exception {
        assertThat(deliveredAroundAMessageInDoubt(scene.dispatcher)).containsExactly("a1", "a2");

        scene.broker.taken();
        scene.database.deleteMessages();
        Set<Object> doubt = new HashSet<>();
        Dispatcher broken = broken((role, method, arguments) -> {
            if (method.getName().equals("lockable")) {
                Set<Object> all = new HashSet<>((Collection<?>) arguments[0]);
                doubt.clear();
                doubt.addAll(all);
                doubt.removeAll((Set<?>) ChangedStore.call(role, method, arguments));
                return all;
            }
            if (isSettle(method) && arguments[0] instanceof SentSettlement settlement) {
                arguments[0] = sent(settlement.sequences().stream()
                        .filter(sequence -> !doubt.contains(sequence))
                        .toList());
            }
            return ChangedStore.call(role, method, arguments);
        });
        // The broken node leaves the message out of the send and of the settle.
        scene.broker.leavesOut = message -> doubt.contains(message.sequence());
        assertThat(deliveredAroundAMessageInDoubt(broken)).containsExactly("a2", "a1");
    }

    private List<String> deliveredAroundAMessageInDoubt(Dispatcher dispatcher) throws Exception {
        scene.write(List.of(message("a", "a1"), message("a", "a2")));
        AtomicBoolean over = new AtomicBoolean();
        dispatcher.addListener(endAfterOneBatch(over));
        scene.database.whileInDoubt(
                scene.database.settling(List.of("a1")),
                () -> scene.run(DispatchScene.workerOf(dispatcher), () -> scene.config, over::get));
        scene.broker.leavesOut = message -> false;
        scene.run();
        return scene.broker.texts();
    }

    @Test
    void unfencedSettlingByLeaseSendsAgainWhatWasSent() {
        try (DispatchScene leased = new DispatchScene(LEASE)) {
            assertThat(sendsWithALeaseThatRanOut(leased, leased.store, true)).isEqualTo(2);
        }
        try (DispatchScene leased = new DispatchScene(LEASE)) {
            JdbcOutboxStore broken = ChangedStore.of(leased.store, (role, method, arguments) -> {
                if (isSettle(method) && arguments[0] instanceof SentSettlement settlement) {
                    // Writes by id alone, and writes back the row that was read.
                    leased.database.requeue("m.seq = " + settlement.sequences().get(0));
                    return Set.of();
                }
                return ChangedStore.call(role, method, arguments);
            });
            assertThat(sendsWithALeaseThatRanOut(leased, broken, false)).isGreaterThan(2);
        }
    }

    /**
     * Pauses a node for longer than its lease, while another node sends and settles.
     *
     * @param isFenced whether the paused node can find out that it has lost its lease
     * @return the number of sends
     */
    private static int sendsWithALeaseThatRanOut(DispatchScene leased, JdbcOutboxStore store, boolean isFenced) {
        leased.write("a", "a1");
        AtomicBoolean first = new AtomicBoolean(true);
        leased.broker.onSend = message -> {
            if (first.getAndSet(false)) {
                leased.database.update("UPDATE shop_partition SET leased_until = TIMESTAMP '2020-01-01 00:00:00'");
                Object owner = leased.database
                        .query("SELECT owner FROM shop_partition WHERE owner IS NOT NULL")
                        .get(0);
                elsewhere(leased::run);
                if (!isFenced) {
                    leased.database.update("UPDATE shop_partition SET owner = ? WHERE partition_no = 2", owner);
                }
            }
        };
        AtomicBoolean over = new AtomicBoolean();
        Dispatcher paused = new Dispatcher(
                store,
                Map.of("jms", leased.broker),
                new ThisNode("paused", "shop", "host", "server", 1, "1.0"),
                () -> leased.config,
                new Environment(leased.transactions, over::get));
        paused.addListener(endAfterOneBatch(over));
        DispatchScene.workerOf(paused).poll();
        leased.run();
        return leased.broker.texts().size();
    }

    /** The broker answers each probe, and refuses all messages without a reason. */
    @Test
    void messagesThatAreGivenUpWithoutAProofAreLostToTheirConsumers() {
        assertThat(deliveredAfterAFaultOfTheDestination(scene.dispatcher)).containsExactlyInAnyOrder("a1", "a2", "b1");

        scene.broker.taken();
        Dispatcher broken = broken((role, method, arguments) -> {
            if (isSettle(method) && arguments[0] instanceof UnsentSettlement settlement) {
                arguments[0] = new UnsentSettlement(
                        settlement.expired(),
                        settlement.retries().stream()
                                .map(BrokenEngineTest::givenUp)
                                .toList(),
                        settlement.retention(),
                        settlement.deadLetters());
            }
            return ChangedStore.call(role, method, arguments);
        });
        assertThat(deliveredAfterAFaultOfTheDestination(broken))
                .as("a1 and b1 are abandoned")
                .containsExactly("a2");
    }

    private static Retry givenUp(Retry retry) {
        return retry.isHeld()
                ? new Retry(retry.sequence(), OutboxStatus.ABANDONED, retry.attempts() + 1, null, retry.error(), false)
                : retry;
    }

    private List<String> deliveredAfterAFaultOfTheDestination(Dispatcher dispatcher) {
        scene.write(List.of(message("a", "a1"), message("a", "a2"), message("b", "b1")));
        OutboxConfig two = DispatchScene.config("outbox.partitions", "1", "outbox.retry.max-attempts", "2");
        scene.broker.onSend = message -> {
            throw FakeBroker.failure(Blame.UNKNOWN);
        };
        for (int attempt = 0; attempt < 2; attempt++) {
            scene.run(DispatchScene.workerOf(dispatcher), () -> two, () -> false);
            scene.database.makeDue();
        }
        scene.broker.onSend = message -> {};
        scene.run(DispatchScene.workerOf(dispatcher), () -> two, () -> false);
        return scene.broker.texts();
    }

    /** Two nodes, whose clocks differ by a minute, write alternately for one aggregate. */
    @Test
    void jvmClockDoesNotGiveTheOrderOfTheCommits() {
        Instant now = Instant.now();
        for (int i = 1; i <= 6; i++) {
            scene.store.capture().write(List.of(at(message("a", "a" + i), now.plusSeconds(i % 2 == 0 ? -60 + i : i))));
        }

        scene.run();

        List<String> committed = List.of("a1", "a2", "a3", "a4", "a5", "a6");
        assertThat(scene.broker.texts()).isEqualTo(committed);
        assertThat(scene.database.query("SELECT payload FROM shop_message ORDER BY occurred_at"))
                .isNotEqualTo(committed);
    }

    private static NewMessage at(NewMessage message, Instant time) {
        return new NewMessage(
                message.id(),
                message.event(),
                message.body(),
                message.context(),
                message.terms(),
                message.destination(),
                time);
    }

    private void dieWhileSending(Dispatcher dispatcher) {
        scene.broker.afterSend = message -> {
            throw new Death();
        };
        assertThat(DispatchScene.workerOf(dispatcher).poll()).isInstanceOf(Death.class);
        scene.broker.afterSend = message -> {};
    }

    private Dispatcher broken(ChangedStore.Change change) {
        return new Dispatcher(
                ChangedStore.of(scene.store, change),
                Map.of("jms", scene.broker),
                new ThisNode("broken", "shop", "host", "server", 1, "1.0"),
                scene::inForce,
                new Environment(scene.transactions, scene::isStopping));
    }

    private static DispatchListener endAfterOneBatch(AtomicBoolean over) {
        return new DispatchListener() {
            @Override
            public void released(DestinationId destination, int partitions) {
                over.set(true);
            }
        };
    }

    private static boolean isSettle(Method method) {
        return method.getDeclaringClass() == SettlementStore.class
                && method.getName().startsWith("settle");
    }

    private static void elsewhere(Runnable what) {
        CompletableFuture.runAsync(what).join();
    }

    private static final class Death extends Error {
        private static final long serialVersionUID = 1L;
    }
}
