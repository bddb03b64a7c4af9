package dev.cdioutbox.jms.internal.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;

import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.store.StoredMessage.Terms;
import org.junit.jupiter.api.Test;

/**
 * The sender passes the shorter of two times to JMS, and never 0 for an expired message: to a broker, 0 means for ever.
 */
class TimeToLiveTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void destinationDecidesWhereTheMessageDoesNotSay() {
        assertThat(timeToLive(null, Duration.ZERO)).isZero();
        assertThat(timeToLive(null, HOUR)).isEqualTo(HOUR);
    }

    @Test
    void messageHasWhatIsLeftOfItsTime() {
        assertThat(timeToLive(HOUR, Duration.ZERO)).isEqualTo(HOUR);
    }

    @Test
    void shorterOfTheTwoHolds() {
        assertThat(timeToLive(HOUR, HOUR.minusMillis(1))).isEqualTo(HOUR.minusMillis(1));
        assertThat(timeToLive(HOUR, HOUR.plusMillis(1))).isEqualTo(HOUR);
        assertThat(timeToLive(HOUR, HOUR)).isEqualTo(HOUR);
    }

    @Test
    void messageWhoseTimeIsOverDoesNotLiveForEver() {
        for (Duration left : new Duration[] {Duration.ofNanos(999_999), Duration.ZERO, Duration.ofSeconds(-1)}) {
            assertThat(timeToLive(left, Duration.ZERO)).isEqualTo(Duration.ofMillis(1));
            assertThat(timeToLive(left, HOUR)).isEqualTo(Duration.ofMillis(1));
        }
    }

    private static Duration timeToLive(Duration left, Duration ofTheDestination) {
        return JmsPublisher.timeToLive(
                new Terms(null, null, left, null),
                new DestinationConfig(
                        "jms", "jms/outbox", "jms/factory", ofTheDestination, true, false, null, Map.of()));
    }
}
