package dev.cdioutbox.internal.dispatch.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.delivery.ExactlyOnceProbe.Pause;
import dev.cdioutbox.internal.dispatch.delivery.ExactlyOnceProbe.Target;
import dev.cdioutbox.internal.dispatch.hold.Way;
import org.junit.jupiter.api.Test;

/** Guards how long the next probe is delayed after a refused one. */
class ExactlyOnceProbeTest {
    private static final long SECOND = 1_000_000_000;

    private final Target queue = Target.of("default", DispatchScene.config(), Way.ONE_TRANSACTION);
    private final Target another = Target.of(
            "default", DispatchScene.config("outbox.destinations.default.jndi", "jms/other"), Way.ONE_TRANSACTION);

    @Test
    void refusedProbeIsRepeatedAfterHalfAMinuteOrWithAnotherConfiguration() {
        Pause pause = new Pause(queue, DeliveryException.refused("no XA", new IllegalStateException()), 0);

        assertThat(pause.lasts(queue, SECOND * 30 - 1)).isTrue();
        assertThat(pause.lasts(queue, SECOND * 30)).isFalse();
        assertThat(pause.lasts(another, 0)).isFalse();
    }
}
