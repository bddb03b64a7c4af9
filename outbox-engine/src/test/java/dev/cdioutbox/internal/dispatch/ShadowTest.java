package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Guards the shadow mode beside an old publisher: each message goes to the shadow destination and is marked. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class ShadowTest {
    private static final OutboxConfig REAL = config();
    private static final OutboxConfig DISCARD = config("outbox.dispatcher.shadow-destination", "discard");
    private static final OutboxConfig ASIDE = config("outbox.dispatcher.shadow-destination", "aside");
    private static final OutboxConfig OFF =
            config("outbox.dispatcher.shadow-destination", "discard", "outbox.dispatcher.enabled", "false");

    @AutoClose
    private final DispatchScene scene = new DispatchScene("outbox.destinations.aside.jndi", "jms/aside");

    @AutoClose
    private final LogLines logged = new LogLines("dev.cdioutbox.internal.dispatch.opening.Shadowing");

    @Test
    void whatIsDiscardedMeetsNoBrokerAndIsMarked() {
        scene.broker.away = "no broker at all";
        scene.write("a", "1");

        assertThat(run(DISCARD)).isNull();

        assertThat(scene.broker.probes).hasValue(0);
        assertThat(scene.broker.delivered).isEmpty();
        assertThat(scene.database.statuses()).containsExactly("PUBLISHED");
        assertThat(scene.column("shadow_destination", "1")).isEqualTo("discard");
    }

    @Test
    void whatGoesAsideIsProbedAndSentThereAndNotToItsDestination() {
        scene.write("a", "1");

        assertThat(run(ASIDE)).isNull();

        assertThat(scene.broker.aims).containsExactly(ofDefaultOutbox("aside"));
        assertThat(scene.broker.probes).hasValue(1);
        assertThat(scene.broker.texts()).containsExactly("1");
        assertThat(scene.column("shadow_destination", "1")).isEqualTo("aside");
    }

    @Test
    void itBeginsAndEndsBetweenTwoBatchesAndSaysHowFarItCame() {
        scene.write("a", "1");
        scene.write("a", "2");
        run(DISCARD);
        scene.write("a", "3");
        run(REAL);

        assertThat(scene.broker.texts()).containsExactly("3");
        assertThat(scene.broker.aims).containsExactly(ofDefaultOutbox("default"));
        assertThat(scene.column("shadow_destination", "3")).isNull();
        assertThat(logged.all())
                .satisfiesExactly(
                        begins -> assertThat(begins)
                                .startsWith("OBX-0431: destination 'default'")
                                .contains("nowhere"),
                        ended -> assertThat(ended)
                                .startsWith("OBX-0432: destination 'default'")
                                .contains("highest shadowed sequence is " + scene.column("seq", "2") + ";"));
    }

    @Test
    void itEndsTooWhereTheDispatcherIsSwitchedOff() {
        scene.write("a", "1");
        run(DISCARD);
        scene.write("a", "2");
        run(OFF);
        run(OFF);

        assertThat(scene.database.statuses()).containsExactly("PUBLISHED", "PENDING");
        assertThat(logged.all()).hasSize(2);
        assertThat(logged.all().get(1)).contains("sequence is " + scene.column("seq", "1") + ";");
    }

    @Test
    void changeCountsFromTheNextBatchOn() {
        scene.write(numbered(0, 40, 1));
        OutboxConfig small =
                config("outbox.dispatcher.shadow-destination", "discard", "outbox.dispatcher.batch-size", "10");
        scene.run(
                () -> Long.valueOf(20).equals(scene.store.status().highestShadowed("default")) ? REAL : small,
                () -> false);

        assertThat(scene.store.status().highestShadowed("default")).isEqualTo(20);
        assertThat(scene.broker.texts()).hasSize(20).startsWith("20").endsWith("39");
    }

    @Test
    void listenersLearnThatItWasNotPublished() {
        List<String> report = new ArrayList<>();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void published(
                    DestinationId destination, List<OutboxMessage> messages, java.time.Instant at, Duration took) {
                report.add("published " + messages.size());
            }

            @Override
            public void shadowed(DestinationId destination, String shadow, List<OutboxMessage> messages) {
                report.add("shadowed " + messages.size() + " " + destination + " " + shadow);
            }
        });
        scene.write("a", "1");
        run(DISCARD);
        scene.write("a", "2");
        run(REAL);

        assertThat(report).containsExactly("shadowed 1 default discard", "published 1");
    }

    @Test
    void pausedDestinationIsNotShadowedEither() {
        scene.store.operations().pause("default", true, "somebody");
        scene.write("a", "1");
        run(DISCARD);

        assertThat(scene.database.statuses()).containsExactly("PENDING");
    }

    @Test
    void replayOfWhatWasShadowedReachesItsDestinationInOrder() {
        scene.write("a", "1");
        scene.write("a", "2");
        run(DISCARD);
        run(OFF);
        scene.write("a", "3");
        change(scene.store, MessageOperation.REPLAY, OutboxFilter.all().withShadowed(true));
        run(REAL);

        assertThat(scene.broker.texts()).containsExactly("1", "2", "3");
        assertThat(scene.column("shadow_destination", "1")).isNull();
    }

    private Throwable run(OutboxConfig config) {
        return scene.run(() -> config, () -> false);
    }

    private static OutboxConfig config(String... keysAndValues) {
        List<String> all = new ArrayList<>(List.of("outbox.destinations.aside.jndi", "jms/aside"));
        all.addAll(List.of(keysAndValues));
        return DispatchScene.config(all.toArray(String[]::new));
    }
}
