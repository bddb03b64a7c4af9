package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

import org.junit.jupiter.api.Test;

/** Guards that times come from the database's clock, also between two reads of that clock. */
class DatabaseClockTest {

    @Test
    void clockGoesOnFromTheDatabasesTimeAndNotFromThisMachines() {
        Instant longAgo = Instant.parse("2001-01-01T00:00:00Z");
        DatabaseClock clock = DatabaseClock.at(longAgo);

        Instant first = clock.now();
        Instant second = clock.now();

        assertThat(first).isBetween(longAgo, longAgo.plusSeconds(600));
        assertThat(second).isAfterOrEqualTo(first);
    }
}
