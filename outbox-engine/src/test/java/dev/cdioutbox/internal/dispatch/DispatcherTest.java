package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.HeldUpKeys;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Guards the run of a worker: it sends each message once and in order, and ends when stopped or when nothing is due.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class DispatcherTest {
    @AutoClose
    private final DispatchScene scene =
            new DispatchScene("outbox.dispatcher.batch-size", "100", "outbox.dispatcher.interval", "PT1H");

    @Test
    void everythingIsSentOnceAndInTheOrderOfItsKey() {
        scene.write(numbered(0, 1000, 30));

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts())
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 1000).mapToObj(String::valueOf).toList());
        scene.broker.delivered.stream()
                .collect(Collectors.groupingBy(m -> m.event().key()))
                .values()
                .forEach(ofKey ->
                        assertThat(ofKey).extracting(OutboxMessage::sequence).isSorted());
        assertThat(scene.database.statuses()).containsOnly("PUBLISHED");
        assertThat(scene.broker.closed).hasValue(scene.broker.opened.get());
    }

    @Test
    void nothingIsOpenedAtTheBrokerWhereNothingIsDue() {
        assertThat(scene.run()).isNull();

        assertThat(scene.broker.opened).hasValue(0);
    }

    @Test
    void disabledDispatcherLetsMessagesAccumulate() {
        scene.write("a", "1");

        assertThat(scene.run(() -> DispatchScene.config("outbox.dispatcher.enabled", "false"), () -> false))
                .isNull();

        assertThat(scene.broker.delivered).isEmpty();
        assertThat(scene.broker.probes).hasValue(0);
        assertThat(scene.database.statuses()).containsExactly("PENDING");
    }

    /** On a node that only captures, no commit may cost a thread. */
    @Test
    void commitWakesNoDisabledDispatcher() {
        scene.configure(() -> DispatchScene.config("outbox.dispatcher.enabled", "false"));
        assertThat(scene.worker.wake(PartitionRange.ALL)).isFalse();

        scene.configure(() -> scene.config);
        assertThat(scene.worker.wake(PartitionRange.ALL)).isTrue();
    }

    /** This node has no worker for the other destination. */
    @Test
    void commitWakesTheWorkerOfItsDestinationOnce() {
        List<Runnable> started = new ArrayList<>();
        scene.dispatcher.useThreads(started::add);
        List<NewMessage> committed =
                List.of(message("a", "1"), message("b", "2"), message("booking.made", "c", "3", "bookings"));
        scene.write(committed.subList(0, 2));

        scene.dispatcher.wake(committed);
        scene.dispatcher.wake(committed);

        assertThat(started).hasSize(1);
        started.get(0).run();
        assertThat(scene.broker.texts()).containsExactlyInAnyOrder("1", "2");
    }

    @Test
    void switchThatIsTurnedDuringARunEndsItAfterTheBatch() {
        scene.write(numbered(0, 300, 1));
        var off = DispatchScene.config("outbox.dispatcher.enabled", "false");

        scene.run(() -> scene.broker.delivered.isEmpty() ? scene.config : off, () -> false);

        assertThat(scene.broker.delivered).hasSizeBetween(1, 100);
    }

    @Test
    void runEndsAfterTheBatchInFlightWhenTheNodeStops() {
        scene.write(numbered(0, 300, 1));

        scene.run(() -> scene.config, () -> !scene.broker.delivered.isEmpty());

        assertThat(scene.broker.delivered).hasSizeBetween(1, 100);
    }

    @Test
    void workerHasOneThreadAtATime() {
        scene.write("a", "1");
        List<Integer> opened = new ArrayList<>();
        scene.broker.onSend = message -> {
            if (opened.isEmpty()) {
                CompletableFuture.runAsync(() -> {
                            scene.write("b", "2");
                            assertThat(scene.run()).isNull();
                        })
                        .join();
                opened.add(scene.broker.opened.get());
            }
        };

        scene.run();

        assertThat(opened).containsExactly(1);
        assertThat(scene.broker.texts()).containsExactly("1", "2");
    }

    @Test
    void runClaimsAgainIfAWakeUpCameMeanwhile() {
        List<NewMessage> late = new ArrayList<>();
        List<Runnable> started = new ArrayList<>();
        scene.dispatcher.useThreads(started::add);
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void claimed(DestinationId destination, int partitions, Duration took) {
                if (late.isEmpty()) {
                    // The claim found nothing. This message is committed too late for that claim.
                    late.add(message("a", "late"));
                    scene.write(late);
                    scene.dispatcher.wake(late);
                }
            }
        });

        scene.dispatcher.wake(List.of(message("a", "settled already")));

        started.remove(0).run();

        assertThat(started).isEmpty();
        assertThat(scene.broker.texts()).containsExactly("late");
    }

    @Test
    void idleWorkerClaimsOnlyWhatItsPollFinds() {
        AtomicInteger claims = new AtomicInteger();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void claimed(DestinationId destination, int partitions, Duration took) {
                claims.incrementAndGet();
            }
        });
        scene.run();
        scene.run();
        assertThat(claims).as("nothing waits").hasValue(0);

        // As another node does, which wakes no worker of this one.
        scene.write("a", "stored elsewhere");
        scene.run();

        assertThat(scene.broker.texts()).containsExactly("stored elsewhere");
    }

    @Test
    void rowsThatAllWaitAreLookedAtOnceAround() {
        AtomicInteger claims = new AtomicInteger();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void claimed(DestinationId destination, int partitions, Duration took) {
                claims.incrementAndGet();
            }
        });
        scene.write(numbered(0, 400, 400));
        scene.database.updateQueue("status = 1, available_at = DATEADD(HOUR, 1, CURRENT_TIMESTAMP)", "1 = 1");

        assertThat(scene.run()).isNull();

        assertThat(claims).hasValue(4);
        assertThat(scene.broker.delivered).isEmpty();
    }

    @Test
    void messagesBehindInDoubtOnesAreProbedToo() throws SQLException {
        try (DispatchScene one = new DispatchScene("outbox.partitions", "1", "outbox.dispatcher.batch-size", "1");
                Connection inDoubt = one.database.dataSource().getConnection();
                Statement lock = inDoubt.createStatement()) {
            one.write(keyed("a", "b", "c"));
            inDoubt.setAutoCommit(false);
            lock.execute("UPDATE shop_queue SET attempts = attempts WHERE seq <> " + one.database.sequence("c"));

            assertThat(one.run()).isNull();
            assertThat(one.broker.texts()).containsExactly("c");
            inDoubt.rollback();
        }
    }

    @Test
    void listenerThatFailsWithItsApplicationIsNoNews() {
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void ticked() {
                throw new IllegalStateException("it is gone");
            }
        });
        try (LogLines logged = new LogLines("dev.cdioutbox")) {
            scene.dispatcher.tick();
            assertThat(logged.all()).hasSize(1);

            scene.stopWhen(() -> true);
            scene.dispatcher.tick();
            assertThat(logged.all()).hasSize(1);
        }
    }

    @Test
    void listenersGetTicksAndTheBacklog() {
        List<Object> report = new ArrayList<>();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void ticked() {
                report.add("tick");
            }

            @Override
            public void backlog(String outbox, OutboxBacklog backlog) {
                report.add(backlog.pending());
            }
        });
        scene.write("a", "1");

        scene.dispatcher.tick();
        scene.dispatcher.refreshBacklog();

        assertThat(report).containsExactly("tick", 1);
    }

    @Test
    void listenersGetTheBlockedKeysUntilThereAreNone() {
        List<Map<String, HeldUpKeys>> reports = new ArrayList<>();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void keysBlocked(String outbox, Map<String, HeldUpKeys> keys) {
                reports.add(keys);
            }
        });
        scene.write("a", "bad");
        scene.write("a", "next");
        scene.broker.refusedAtCommit.add("bad");
        scene.run();

        scene.dispatcher.refreshBacklog();
        scene.store.operations().change(MessageOperation.DISCARD, List.of(scene.database.sequence("bad")));
        scene.dispatcher.refreshBacklog();

        assertThat(reports.get(0)).hasEntrySatisfying("default", keys -> assertThat(keys)
                .isEqualTo(new HeldUpKeys(1, 1, keys.longest())));
        assertThat(reports.get(1)).isEmpty();
    }
}
