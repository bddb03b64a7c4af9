package dev.cdioutbox.tests.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

/** The account that each block of the benchmark has to pass. */
class DeliveriesTest {
    private final AtomicLong nanos = new AtomicLong();
    private final Deliveries deliveries = new Deliveries(nanos::get);

    private record Message(String key, long sequence) {}

    @Test
    void keysMayInterleave() {
        deliver(new Message("a", 1), new Message("b", 3));
        deliver(new Message("a", 2));

        assertThatCode(() -> deliveries.check(3)).doesNotThrowAnyException();
    }

    @Test
    void lostMessageIsSeen() {
        deliver(new Message("a", 1));

        assertThatThrownBy(() -> deliveries.check(2)).hasMessageContaining("1 messages delivered of 2");
    }

    @Test
    void copyIsSeen() {
        deliver(new Message("a", 1));
        deliver(new Message("a", 1));

        assertThatThrownBy(() -> deliveries.check(2)).hasMessageContaining("a: 1 after 1");
    }

    @Test
    void overtakingIsSeen() {
        deliver(new Message("a", 2), new Message("a", 1));

        assertThatThrownBy(() -> deliveries.check(2)).hasMessageContaining("a: 1 after 2");
    }

    @Test
    void failureEndsTheWait() {
        deliveries.failed(new IllegalStateException("the database is away"));

        assertThatThrownBy(() -> deliveries.await(1, 1)).hasRootCauseMessage("the database is away");
    }

    @Test
    void rateIsThatOfTheChosenPart() {
        nanos.addAndGet(100_000_000);
        deliver(new Message("a", 1));
        nanos.addAndGet(100_000_000);
        deliver(new Message("a", 2), new Message("a", 3), new Message("a", 4));

        assertThat(deliveries.rate()).isEqualTo(20);
        assertThat(deliveries.rate(0, 1)).isEqualTo(10);
        assertThat(deliveries.rate(1, 4)).isEqualTo(30);
    }

    private void deliver(Message... batch) {
        deliveries.add(List.of(batch), Message::key, Message::sequence);
    }
}
