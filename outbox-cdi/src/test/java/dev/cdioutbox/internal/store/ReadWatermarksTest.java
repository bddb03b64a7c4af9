package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReadWatermarksTest {
    private static final int PAUSED = 1;
    private static final int OTHER = 2;
    private static final long WATERMARK = 2L * ReadWatermarks.MAX_REQUEUED;

    private final ReadWatermarks watermarks = new ReadWatermarks();

    @BeforeEach
    void raise() {
        watermarks.raiseCommitWatermark(WATERMARK);
        watermarks.raise(PAUSED, 0, WATERMARK);
        watermarks.raise(OTHER, 0, WATERMARK);
    }

    @Test
    void partitionIsReadInOrderWhereTooManyMessagesWereRequeuedElsewhere() {
        fill();
        watermarks.requeued(OTHER, 7);

        assertThat(watermarks.readWatermark(OTHER)).isEqualTo(6);
        assertThat(watermarks.readWatermark(PAUSED)).isEqualTo(WATERMARK);
    }

    @Test
    void whatIsReadInOrderTakesNoPlace() {
        fill();
        watermarks.lower(PAUSED, 0);
        watermarks.dropReached();
        watermarks.requeued(OTHER, 7);
        watermarks.requeued(OTHER, WATERMARK + 1);

        assertThat(watermarks.readWatermark(OTHER)).isEqualTo(WATERMARK);
        assertThat(watermarks.requeued(Set.of(PAUSED, OTHER), 10, Set.of())).containsExactly(7L);
        assertThat(watermarks.requeuedBelow()).isEqualTo(List.of(7L));
    }

    private void fill() {
        for (int i = 0; i < ReadWatermarks.MAX_REQUEUED; i++) {
            watermarks.requeued(PAUSED, ReadWatermarks.MAX_REQUEUED + i);
        }
    }
}
