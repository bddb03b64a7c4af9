package dev.cdioutbox.internal.store.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

import dev.cdioutbox.internal.store.inbox.Position.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a message follows the last one of its key, whose sequence is 9 and which was stored at noon. */
class InboxPositionTest {
    @ParameterizedTest
    @CsvSource({
        "10, 12:00:01, IN_ORDER",
        " 9, 12:00:00, IN_ORDER",
        "10, 11:00:00, IN_ORDER",
        "10,         , IN_ORDER",
        " 8, 11:00:00, OVERTAKEN",
        " 8, 12:00:00, OVERTAKEN",
        " 8, 12:02:00, OVERTAKEN",
        " 8,         , OVERTAKEN",
        " 8, 12:02:01, SEQUENCE_BEGAN_AGAIN",
        " 1, 23:00:00, SEQUENCE_BEGAN_AGAIN"
    })
    void lowerSequenceWasOvertakenUnlessTheMessageIsMuchYounger(long sequence, String time, Order expected) {
        assertThat(new Position(sequence, at(time)).after(new Position(9, at("12:00:00"))))
                .isEqualTo(expected);
    }

    private static Instant at(String time) {
        return time == null ? null : Instant.parse("2026-01-01T" + time + "Z");
    }
}
