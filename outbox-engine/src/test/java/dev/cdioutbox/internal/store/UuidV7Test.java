package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

import org.junit.jupiter.api.Test;

/** Guards that message ids are unique, and ordered by their time in milliseconds. */
class UuidV7Test {
    private static final long NOW = 1_795_000_000_123L;

    @Test
    void versionIsSevenAndTheVariantIsThatOfTheRfc() {
        for (int i = 0; i < 1000; i++) {
            UUID id = UuidV7.next(NOW);
            assertThat(id.version()).isEqualTo(7);
            assertThat(id.variant()).isEqualTo(2);
        }
    }

    @Test
    void firstBitsAreTheTime() {
        assertThat(UuidV7.next(NOW).getMostSignificantBits() >>> 16).isEqualTo(NOW);
        assertThat(UuidV7.next((1L << 48) - 1).getMostSignificantBits() >>> 16).isEqualTo((1L << 48) - 1);
    }

    @Test
    void textOfALaterOneIsGreater() {
        for (int i = 0; i < 1000; i++) {
            assertThat(UuidV7.next(NOW + i + 1).toString())
                    .isGreaterThan(UuidV7.next(NOW + i).toString());
        }
    }

    @Test
    void thoseOfOneMillisecondDiffer() {
        Set<UUID> ids = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            ids.add(UuidV7.next(NOW));
        }
        assertThat(ids).hasSize(100_000);
    }

    /** A copy is recognized by it, and it names another message for each handler and application. */
    @Test
    void idOfAReceivedMessageIsComputed() {
        UUID id = UuidV7.next(NOW);

        assertThat(UuidV7.received("shop", "shipping", id.toString()))
                .isEqualTo(UuidV7.received("shop", "shipping", id.toString()))
                .isNotEqualTo(UuidV7.received("shop", "billing", id.toString()))
                .isNotEqualTo(UuidV7.received("other", "shipping", id.toString()))
                .isNotEqualTo(
                        UuidV7.received("shop", "shipping", UuidV7.next(NOW).toString()));
    }

    @Test
    void idOfAReceivedMessageKeepsTheTimeOfTheReceivedOne() {
        UUID timed = UuidV7.received("shop", "shipping", UuidV7.next(NOW).toString());
        assertThat(timed.getMostSignificantBits() >>> 16).isEqualTo(NOW);
        assertThat(timed.version()).isEqualTo(7);

        for (String timeless : new String[] {
            "", "ID:414d51", "e".repeat(300), UUID.randomUUID().toString()
        }) {
            UUID id = UuidV7.received("shop", "shipping", timeless);
            assertThat(id.version()).as(timeless).isEqualTo(8);
            assertThat(id.variant()).as(timeless).isEqualTo(2);
        }
    }
}
