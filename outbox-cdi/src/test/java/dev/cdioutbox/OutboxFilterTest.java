package dev.cdioutbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutboxFilterTest {

    @Test
    void narrowingDownKeepsWhatWasSetBefore() {
        OutboxFilter filter = OutboxFilter.all()
                .withStatus(OutboxStatus.FAILED)
                .withEventType("OrderPlaced")
                .withKey("order-1")
                .withDestination("audit")
                .withShadowed(true)
                .withLimit(7);

        assertThat(filter)
                .isEqualTo(new OutboxFilter(
                        Set.of(OutboxStatus.FAILED),
                        "OrderPlaced",
                        "order-1",
                        "audit",
                        null,
                        null,
                        null,
                        null,
                        null,
                        true,
                        7));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1001})
    void limitOutOfRangeIsRefused(int limit) {
        assertThatIllegalArgumentException().isThrownBy(() -> OutboxFilter.all().withLimit(limit));
    }

    @Test
    void oneMessageIsNamedByItsNeighbours() {
        OutboxFilter filter = OutboxFilter.all().withSequence(7);

        assertThat(filter.afterSequence()).isEqualTo(6);
        assertThat(filter.beforeSequence()).isEqualTo(8);
    }

    @Test
    void laterChangeOfTheStatusesChangesNothing() {
        Set<OutboxStatus> statuses = new HashSet<>(Set.of(OutboxStatus.FAILED));
        OutboxFilter filter = new OutboxFilter(statuses, null, null, null, null, null, null, null, null, null, 1000);

        statuses.clear();

        assertThat(filter.statuses()).containsExactly(OutboxStatus.FAILED);
    }
}
