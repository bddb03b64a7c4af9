package dev.cdioutbox.internal.dispatch.opening;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.delivery.OpenDestination;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.node.ThisNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards for how long a destination stays open. */
@Tag("database")
class DestinationOpeningTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene();

    private final OutboxConfig config = scene.config;
    private final DestinationOpening opening = opening();

    @Test
    void destinationIsOpenUntilItsConfigurationChanges() throws Exception {
        assertThat(opening.opened(config)).isEmpty();

        opening.open(config, false);

        assertThat(opening.opened(config)).isPresent();
        assertThat(opening.opened(DispatchScene.config())).isEmpty();
    }

    /** Otherwise the older settings would be in force under the newer configuration. */
    @Test
    void slowerOpeningByAnOlderConfigurationIsNotTakenForOneByTheNewer() throws Exception {
        OutboxConfig newer = DispatchScene.config("outbox.dispatcher.batch-size", "7");
        scene.broker.onProbe = () -> {
            scene.broker.onProbe = () -> {};
            openNow(newer);
        };

        opening.open(config, false);

        assertThat(opening.opened(newer)).isEmpty();
        assertThat(opening.opened(config)).map(OpenDestination::config).contains(config.of(TestMessages.DESTINATION));
    }

    private void openNow(OutboxConfig by) {
        try {
            opening.open(by, true);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private DestinationOpening opening() {
        Environment environment = scene.environment(System::nanoTime, List.of());
        ThisNode node = new ThisNode("node-3", "shop", "host", "server", 3, "1.0");
        return new DestinationOpening(
                ofDefaultOutbox(TestMessages.DESTINATION),
                scene.store,
                scene.store,
                Map.of("jms", scene.broker),
                environment,
                new CrashRecovery(environment, node, () -> config, scene.store, () -> Duration.ZERO));
    }
}
