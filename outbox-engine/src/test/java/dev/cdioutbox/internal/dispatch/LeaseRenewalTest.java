package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Guards that an operator learns of leases that may run out before their batches end. */
class LeaseRenewalTest {
    @AutoClose
    private final LogLines logged = new LogLines(LeaseRenewal.class.getName());

    private long nanos;
    private boolean isStopping;
    private final LeaseRenewal renewal = new LeaseRenewal(
            "default", null, new Environment(new DatabaseIsAway(), List.of(), () -> isStopping, () -> nanos));

    @Test
    void failureIsLoggedOnceAMinute() {
        renewal.renew();
        renewal.renew();
        assertThat(logged.all())
                .singleElement()
                .asString()
                .startsWith("OBX-0448: outbox 'default'")
                .contains("away");

        nanos = Duration.ofMinutes(1).toNanos();
        renewal.renew();
        assertThat(logged.all()).hasSize(2).last().asString().contains("2 time(s)");
    }

    @Test
    void applicationThatStopsMayLackItsDatabase() {
        isStopping = true;

        renewal.renew();

        assertThat(logged.all()).isEmpty();
    }

    private static final class DatabaseIsAway implements Transactions {
        @Override
        public <T> T inNew(Callable<T> work) {
            throw new IllegalStateException("the database is away");
        }

        @Override
        public <T> T outside(Callable<T> work) {
            throw new IllegalStateException("the database is away");
        }
    }
}
