package dev.cdioutbox.internal.store.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards that the claims of all threads and nodes share the partitions. */
class ClaimLimitsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            threads | nodes | partitions | rounds
            2       | 0     | 16         | 4
            2       | 1     | 16         | 4
            2       | 3     | 10         | 7
            2       | 8     | 4          | 16
            2       | 100   | 4          | 16
            32      | 1     | 2          | 32
            100     | 100   | 1          | 64
            """, useHeadersInDisplayName = true)
    void claimsShareThePartitions(int threads, int nodes, int partitions, int rounds) {
        OutboxConfig config = TestConfig.of("outbox.partitions", "64");

        ClaimLimits limits = ClaimLimits.of(config, threads, nodes);

        assertThat(limits.partitions()).isEqualTo(partitions);
        assertThat(limits.rounds(config)).isEqualTo(rounds);
    }
}
