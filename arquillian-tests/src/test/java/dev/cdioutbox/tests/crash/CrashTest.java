package dev.cdioutbox.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.TestInstance;

/** A test whose runs share a database and a broker. {@code crash.seed} repeats what it did at random. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CrashTest {
    final long seed = Long.getLong("crash.seed", System.nanoTime() & Integer.MAX_VALUE);

    @AutoClose
    final Services services = new Services();

    final CrashRun run(Mode mode, int nodes, Map<String, String> configuration) {
        return new CrashRun(services, mode, nodes, seed, null, configuration);
    }

    final void assertGood(CrashRun run) {
        assertGood(run.finish());
    }

    final void assertGood(Counts counts) {
        assertThat(counts.faults()).as("with -Dcrash.seed=%d: %s", seed, counts).isEmpty();
        assertThat(counts.messages()).as("with -Dcrash.seed=%d", seed).isPositive();
    }
}
