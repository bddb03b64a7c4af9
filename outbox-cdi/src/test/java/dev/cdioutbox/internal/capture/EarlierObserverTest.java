package dev.cdioutbox.internal.capture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that an observer of any priority runs before the outbox's own observer. */
class EarlierObserverTest {

    @ParameterizedTest
    @ValueSource(ints = {-1073741824, -1, 0, 2500, 1073741822})
    void ordinaryPriorityIsLeftAlone(int priority) {
        assertThat(EarlierObserver.isNeededFor(priority)).isFalse();
        assertThat(EarlierObserver.earlier(priority)).isEqualTo(priority);
    }

    @ParameterizedTest
    @CsvSource({
        "2147483647, 1073741822",
        "2147483646, 1073741821",
        "1073741823, -2",
        "-1073741825, -1",
        "-2147483647, -1073741823",
        "-2147483648, -1073741824"
    })
    void extremePriorityIsMovedWithItsNeighbours(int priority, int moved) {
        assertThat(EarlierObserver.isNeededFor(priority)).isTrue();
        assertThat(EarlierObserver.earlier(priority)).isEqualTo(moved);
    }

    /** Weld compares priorities by a subtraction, which may overflow. */
    @Test
    void everyMovedPriorityIsBeforeOursAsWeldCompares() {
        for (long priority = Integer.MIN_VALUE; priority <= Integer.MAX_VALUE; priority += 65_535) {
            assertThat(EarlierObserver.LAST - EarlierObserver.earlier((int) priority))
                    .as("%d", priority)
                    .isPositive();
        }
    }
}
