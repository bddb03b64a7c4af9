package dev.cdioutbox.internal.dispatch.opening;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.delivery.DeliveryException;
import dev.cdioutbox.internal.dispatch.opening.ExactlyOnceProbe.Pause;
import dev.cdioutbox.internal.dispatch.publish.DeliveryProtocol;
import org.junit.jupiter.api.Test;

/** Guards how long the next probe is delayed after a refused one. */
class ExactlyOnceProbeTest {
    private static final long SECOND = 1_000_000_000;

    private final ProbedTarget queue = target(DispatchScene.config());
    private final ProbedTarget another = target(DispatchScene.config("outbox.destinations.default.jndi", "jms/other"));

    @Test
    void refusedProbeIsRepeatedAfterHalfAMinuteOrWithAnotherConfiguration() {
        Pause pause = new Pause(queue, DeliveryException.refused("no XA", new IllegalStateException()), 0);

        assertThat(pause.lasts(queue, SECOND * 30 - 1)).isTrue();
        assertThat(pause.lasts(queue, SECOND * 30)).isFalse();
        assertThat(pause.lasts(another, 0)).isFalse();
    }

    private static ProbedTarget target(OutboxConfig config) {
        return new ProbedTarget(
                "default",
                config.destinations().get("default"),
                Guarantee.EXACTLY_ONCE,
                DeliveryProtocol.ONE_TRANSACTION,
                true);
    }
}
