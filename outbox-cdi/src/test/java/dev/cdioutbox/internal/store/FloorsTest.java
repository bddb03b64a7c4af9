package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FloorsTest {
    private static final int PAUSED = 1;
    private static final int OTHER = 2;
    private static final long FLOOR = 2L * Floors.MOST_RETURNED;

    private final Floors floors = new Floors();

    @BeforeEach
    void raise() {
        floors.reach(FLOOR);
        floors.raise(PAUSED, 0, FLOOR);
        floors.raise(OTHER, 0, FLOOR);
    }

    @Test
    void partitionIsReadInOrderWhereTooMuchWasPutBackElsewhere() {
        fill();
        floors.putBack(OTHER, 7);

        assertThat(floors.of(OTHER)).isEqualTo(6);
        assertThat(floors.of(PAUSED)).isEqualTo(FLOOR);
    }

    @Test
    void whatIsReadInOrderTakesNoPlace() {
        fill();
        floors.lower(PAUSED, 0);
        floors.tidy();
        floors.putBack(OTHER, 7);
        floors.putBack(OTHER, FLOOR + 1);

        assertThat(floors.of(OTHER)).isEqualTo(FLOOR);
        assertThat(floors.returned(Set.of(PAUSED, OTHER), 10, Set.of())).containsExactly(7L);
        assertThat(floors.below()).isEqualTo(List.of(7L));
    }

    private void fill() {
        for (int i = 0; i < Floors.MOST_RETURNED; i++) {
            floors.putBack(PAUSED, Floors.MOST_RETURNED + i);
        }
    }
}
