package dev.cdioutbox.internal.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

/** Guards that a line that is due again and again does not flood the log. */
class RepeatedLineTest {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final RepeatedLine line = new RepeatedLine();

    @Test
    void lineThatSaysSomethingNewIsWrittenAtOnceAndDelaysTheNext() {
        line.due(0);
        assertThat(line.due(1, true)).isEqualTo(1);
        assertThat(line.due(MINUTE)).isZero();
        assertThat(line.due(MINUTE + 1)).isEqualTo(2);
    }

    @Test
    void endIsToldHowOftenTheLineWasDueAndTheNextIsWrittenAtOnce() {
        assertThat(line.end()).isZero();
        line.due(0);
        line.due(1);
        assertThat(line.end()).isEqualTo(2);
        assertThat(line.due(2)).isEqualTo(1);
    }

    @Test
    void lineIsWrittenOnceAMinuteWithItsCount() {
        assertThat(line.due(0)).isEqualTo(1);
        assertThat(line.due(1)).isZero();
        assertThat(line.due(MINUTE - 1)).isZero();
        assertThat(line.due(MINUTE)).isEqualTo(3);
        assertThat(line.due(MINUTE + 1)).isZero();
    }
}
