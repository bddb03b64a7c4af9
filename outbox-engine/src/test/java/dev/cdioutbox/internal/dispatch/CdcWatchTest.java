package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import dev.cdioutbox.internal.dispatch.CdcWatch.Mark;
import dev.cdioutbox.internal.store.cdc.CdcState;
import org.junit.jupiter.api.Test;

/** For how long the reader of a slot has confirmed nothing. The database tells positions only. */
class CdcWatchTest {

    @Test
    void markStaysUntilItIsConfirmed() {
        Mark first = new Mark(100, seconds(10));

        assertThat(first.after(state(140, 99L), seconds(40))).isEqualTo(first);
        assertThat(first.age(seconds(40))).hasSeconds(30);
        assertThat(first.after(state(140, 100L), seconds(50))).isEqualTo(new Mark(140, seconds(50)));
    }

    @Test
    void lostSlotConfirmsNothing() {
        Mark first = new Mark(100, 0);

        assertThat(first.after(state(140, null), seconds(60))).isEqualTo(first);
    }

    private static CdcState state(long written, Long confirmed) {
        return new CdcState("logical", true, null, null, true, "reserved", written, confirmed);
    }

    private static long seconds(int seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }
}
