package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.dispatch.GuaranteeCheck.Pause;
import dev.cdioutbox.internal.dispatch.worker.DeliveryException;
import org.junit.jupiter.api.Test;

/** Guards how long the next probe is delayed after a refused one. */
class GuaranteeCheckTest {
    private static final long SECOND = 1_000_000_000;

    private final DestinationConfig queue =
            DispatchScene.config().destinations().get("default");
    private final DestinationConfig another = DispatchScene.config("outbox.destinations.default.jndi", "jms/other")
            .destinations()
            .get("default");

    @Test
    void pauseBetweenRefusedProbesDoublesUpToAMinute() {
        DeliveryException refusal = new DeliveryException("no XA", new IllegalStateException());
        long now = 0;
        Pause pause = null;
        for (int seconds : new int[] {10, 20, 40, 60, 60}) {
            pause = Pause.after(pause, queue, refusal, now);
            assertThat(pause.lasts(queue, now + SECOND * seconds - 1)).isTrue();
            assertThat(pause.lasts(another, now)).isFalse();
            now += SECOND * seconds;
            assertThat(pause.lasts(queue, now)).isFalse();
        }

        pause = Pause.after(pause, another, refusal, now);
        assertThat(pause.lasts(another, now + SECOND * 10)).isFalse();
    }
}
