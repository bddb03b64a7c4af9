package dev.cdioutbox.internal.ejb;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.ejb.DispatchedOutbox.Call;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.operate.TransactionalOperations;
import dev.cdioutbox.internal.outbox.LazyStore;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.store.operate.BacklogReader.Backlog;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxFinding;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DispatchedOutboxTest {
    private static final OutboxBacklog BACKLOG = new Backlog(0, 0, 0, null, Set.of(), Instant.EPOCH, Map.of());

    private final FakeTimers timers = new FakeTimers();
    private final List<OutboxFinding> findings = new ArrayList<>();
    private final DispatchedOutbox outbox = new DispatchedOutbox(
            TestDispatcher.outbox("default"), timers.service, new Gauges(), new Operations(), null, opened -> null);

    /** The housekeeping timer does not wait for a worker, so it can detect a stalled one. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void housekeepingChecksForStalledWorkers() {
        List<Runnable> started = new ArrayList<>();
        OutboxConfig config = TestConfig.of("outbox.dispatcher.interval", "PT0.1S");
        Dispatcher dispatcher = TestDispatcher.of(() -> config);
        dispatcher.useThreads(started::add);
        outbox.begin(dispatcher);

        while (started.isEmpty()) {
            outbox.housekeep();
            Thread.onSpinWait();
        }
        assertThat(started).hasSize(1);
    }

    /** Otherwise no alert fires for a node that cannot read its tables, not even for one outbox of several. */
    @Test
    void outboxWhoseTablesAreNotThereIsExpectedToBeRead() {
        AtomicLong now = new AtomicLong();
        Gauges gauges = new Gauges(now::get);
        LazyStore noTables = new LazyStore(
                "billing",
                () -> {
                    throw new IllegalStateException("the tables are not there yet");
                },
                Runnable::run,
                now::get);
        DispatchedOutbox waiting = new DispatchedOutbox(
                new OutboxInstance("billing", null, noTables),
                timers.service,
                gauges,
                new Operations(),
                null,
                opened -> null);
        gauges.expectTicks("default");
        gauges.backlog("default", BACKLOG);
        waiting.start();
        now.addAndGet(Duration.ofMinutes(3).toNanos());
        gauges.backlog("default", BACKLOG);
        waiting.housekeep();

        assertThat(gauges.lastReadingAgeSeconds()).isEqualTo(180);
        assertThat(gauges.isBacklogKnown()).isFalse();
        assertThat(gauges.lastTickAgeSeconds()).as("a restart would not help").isZero();
        assertThat(gauges.storeProblem("billing")).isNotNull();
    }

    /** Otherwise a node whose reads are slow would seem to be dead. */
    @Tag("database")
    @Test
    void heartbeatBacklogAndCopiesOfABackfillHaveATimerEach() {
        try (DispatchScene scene = new DispatchScene("outbox.destinations.billing.jndi", "jms/billing")) {
            outbox.begin(scene.dispatcher);
            scene.dispatcher.deleteNodeRow();
            timers.created.clear();
            scene.store.backfills().start("billing", "default", "OrderPlaced", Instant.EPOCH);

            OutboxTimer.HEARTBEAT.action.accept(outbox);
            assertThat(scene.store.nodes().all()).hasSize(1);
            scene.dispatcher.deleteNodeRow();

            OutboxTimer.BACKLOG.action.accept(outbox);
            assertThat(scene.store.nodes().all()).isEmpty();
            assertThat(timers.infos()).containsExactly(new Call("default", OutboxTimer.BACKFILL));
            assertThat(scene.store.backfills().all().get(0).end()).isNull();

            OutboxTimer.BACKFILL.action.accept(outbox);
            assertThat(scene.store.backfills().all().get(0).end()).isNotNull();
        }
    }

    /** Otherwise another node would send the batch, too, while a slow broker takes it. */
    @Tag("database")
    @Test
    void leaseOfABatchInFlightIsRenewedByItsTimer() {
        try (DispatchScene scene =
                new DispatchScene("outbox.dispatcher.delivery", "at-least-once", "outbox.dispatcher.lease", "PT1M")) {
            outbox.begin(scene.dispatcher);
            List<String> running = new ArrayList<>();
            scene.broker.onSend = message -> {
                scene.database.update(
                        "UPDATE shop_partition SET leased_until = CURRENT_TIMESTAMP WHERE owner IS NOT NULL");
                CompletableFuture.runAsync(() -> OutboxTimer.LEASES.action.accept(outbox))
                        .join();
                running.addAll(
                        scene.database.query("SELECT id FROM shop_partition WHERE leased_until > CURRENT_TIMESTAMP"));
            };
            scene.write("a", "1");

            assertThat(scene.run()).isNull();

            assertThat(running).hasSize(1);
        }
    }

    @Test
    void findingsAfterTheStartAreLoggedInOneLine() {
        try (LogLines log = new LogLines("dev.cdioutbox")) {
            outbox.diagnose();
            assertThat(log.all()).isEmpty();

            findings.add(OutboxCode.UNKNOWN_ROUTE.finding("Shipped", ""));
            findings.add(OutboxCode.GALERA.finding());
            outbox.diagnose();
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("OBX-0608: findings in the outbox 'default' after the start: 2.")
                    .containsPattern("(?s)\n  OBX-0217: .*\n  OBX-0316: ");
        }
    }

    private final class Operations extends TransactionalOperations {
        @Override
        public TransactionalOperations outbox(String name) {
            return this;
        }

        @Override
        public List<OutboxFinding> diagnose() {
            return findings;
        }
    }
}
