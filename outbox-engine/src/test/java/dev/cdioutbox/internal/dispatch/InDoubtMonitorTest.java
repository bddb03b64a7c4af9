package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.HeldUpKeys;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards the warnings about messages in doubt: after a minute, every ten minutes, and at their end. */
@Tag("database")
class InDoubtMonitorTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene();

    @AutoClose
    private final LogLines logged = new LogLines(InDoubtMonitor.class.getName());

    private final List<String> reports = new ArrayList<>();
    private final DispatchListener listener = new DispatchListener() {
        @Override
        public void inDoubt(DestinationId destination, int messages, Duration longest) {
            reports.add(destination + " " + messages + " " + longest.toSeconds());
        }
    };
    private final AtomicLong nanos = new AtomicLong();

    @Test
    void personIsCalledAfterAMinuteAndEachTenMinutesAndToldOfTheEnd() throws SQLException {
        scene.write(keyed("a"));
        long row = Long.parseLong(scene.column("seq", "a"));
        Environment environment = scene.environment(nanos::get, List.of(listener));
        InDoubtMonitor monitor = new InDoubtMonitor(
                ofDefaultOutbox("default"), scene.store.pendingRows(), scene.store.heldUp(), environment);
        refresh(monitor);
        assertThat(reports).isEmpty();

        scene.database.whileInDoubt(scene.database.settling(List.of("a")), () -> {
            monitor.found(List.of(row));
            pass(59);
            monitor.found(List.of(row));
            refresh(monitor);
            assertThat(logged.all()).isEmpty();

            pass(1);
            refresh(monitor);
            assertThat(logged.all())
                    .singleElement(STRING)
                    .startsWith("OBX-0425: destination 'default': 1 message(s), the first one with sequence " + row)
                    .contains("locked for 1 min");

            pass(599);
            refresh(monitor);
            assertThat(logged.all()).hasSize(1);
            pass(1);
            refresh(monitor);
            assertThat(logged.all()).hasSize(2).last(STRING).contains("11 min");
        });
        refresh(monitor);
        refresh(monitor);

        assertThat(reports)
                .containsExactly("default 1 59", "default 1 60", "default 1 659", "default 1 660", "default 0 0");
        assertThat(logged.all()).hasSize(3).last(STRING).startsWith("OBX-0426: destination 'default'");
    }

    @Test
    void rowsThatAClaimFindsLockedAreReportedWithTheBacklog() throws SQLException {
        scene.write(keyed("a", "b"));
        scene.write("a", "a2");
        scene.dispatcher.addListener(listener);
        List<HeldUpKeys> heldUp = new ArrayList<>();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void keysInDoubt(DestinationId destination, HeldUpKeys keys) {
                heldUp.add(keys);
            }
        });

        scene.database.whileInDoubt(scene.database.settling(List.of("a")), () -> {
            assertThat(scene.run()).isNull();
            assertThat(scene.broker.texts()).containsExactly("b");
            scene.dispatcher.refreshBacklog();
        });
        scene.dispatcher.refreshBacklog();

        // The age depends on how long the first look at the backlog takes.
        assertThat(reports).hasSize(2);
        assertThat(reports.get(0)).startsWith("default 1 ");
        assertThat(reports.get(1)).isEqualTo("default 0 0");
        assertThat(heldUp).containsExactly(new HeldUpKeys(1, 1, Duration.ZERO));
    }

    private static void refresh(InDoubtMonitor monitor) {
        try {
            monitor.refresh();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void pass(int seconds) {
        nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }
}
