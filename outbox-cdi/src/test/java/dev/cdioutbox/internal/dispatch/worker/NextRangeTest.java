package dev.cdioutbox.internal.dispatch.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.internal.store.Claim.PartitionRange;
import org.junit.jupiter.api.Test;

/** Guards that a range, which a thread leaves to the others, is taken. */
class NextRangeTest {
    private final NextRange next = new NextRange();

    @Test
    void rangesAreTakenTogether() {
        next.add(new PartitionRange(3, 4));
        next.add(new PartitionRange(9, 9));

        assertThat(next.take()).isEqualTo(new PartitionRange(3, 9));
        assertThat(next.take()).isEqualTo(PartitionRange.NONE);
    }

    @Test
    void onlyTheLastThreadStaysForARangeThatIsLeft() {
        next.join();
        next.join();
        next.add(PartitionRange.ALL);

        assertThat(next.leaveIfNotNeeded()).isTrue();
        assertThat(next.leaveIfNotNeeded()).isFalse();

        next.take();
        assertThat(next.leaveIfNotNeeded()).isTrue();
    }
}
