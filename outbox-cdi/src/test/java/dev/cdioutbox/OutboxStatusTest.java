package dev.cdioutbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutboxStatusTest {

    @ParameterizedTest
    @CsvSource({
        "PENDING, FAILED PUBLISHED ABANDONED EXPIRED",
        "FAILED, FAILED PUBLISHED ABANDONED EXPIRED",
        "PUBLISHED, ''",
        "ABANDONED, ''",
        "EXPIRED, ''",
        "DISCARDED, ''"
    })
    void movesAreThoseOfThePictureAndNoOthers(OutboxStatus from, String to) {
        Set<OutboxStatus> legal = Arrays.stream(to.split(" "))
                .filter(name -> !name.isEmpty())
                .map(OutboxStatus::valueOf)
                .collect(Collectors.toSet());

        for (OutboxStatus next : OutboxStatus.values()) {
            assertThat(from.canBecome(next)).as(from + " to " + next).isEqualTo(legal.contains(next));
        }
    }

    @Test
    void everyStatusIsInTheTableAbove() {
        assertThat(EnumSet.allOf(OutboxStatus.class)).hasSize(6);
    }

    @Test
    void onlyWhatIsNotSettledIsDue() {
        assertThat(Arrays.stream(OutboxStatus.values()).filter(OutboxStatus::isDue))
                .containsExactly(OutboxStatus.PENDING, OutboxStatus.FAILED);
    }
}
