package dev.cdioutbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that each criterion of a filter keeps its value, and that a filter is immutable. */
class OutboxFilterTest {

    /** Sets and reads each criterion, so that none overwrites another one. */
    @Test
    void narrowingDownKeepsTheCriteriaThatWereSetBefore() {
        Instant noon = Instant.parse("2026-01-31T12:00:00Z");
        OutboxFilter filter = OutboxFilter.all()
                .withStatus(OutboxStatus.FAILED)
                .withEventType("OrderPlaced")
                .withKey("order-1")
                .withDestination("audit")
                .withCorrelationId("checkout-1")
                .withCausationId("message-1")
                .withTenantId("north")
                .withCreated(noon, noon.plusSeconds(1))
                .withError("refused")
                .withBeforeSequence(9L)
                .withAfterSequence(3L)
                .withShadowed(true)
                .withLimit(7);

        assertThat(filter.statuses()).containsExactly(OutboxStatus.FAILED);
        assertThat(filter.eventType()).isEqualTo("OrderPlaced");
        assertThat(filter.key()).isEqualTo("order-1");
        assertThat(filter.destination()).isEqualTo("audit");
        assertThat(filter.correlationId()).isEqualTo("checkout-1");
        assertThat(filter.causationId()).isEqualTo("message-1");
        assertThat(filter.tenantId()).isEqualTo("north");
        assertThat(filter.createdFrom()).isEqualTo(noon);
        assertThat(filter.createdBefore()).isEqualTo(noon.plusSeconds(1));
        assertThat(filter.error()).isEqualTo("refused");
        assertThat(filter.beforeSequence()).isEqualTo(9);
        assertThat(filter.afterSequence()).isEqualTo(3);
        assertThat(filter.shadowed()).isTrue();
        assertThat(filter.limit()).isEqualTo(7);
    }

    @Test
    void filterIsNotChangedByNarrowingItDown() {
        OutboxFilter wide = OutboxFilter.all();

        OutboxFilter narrow = wide.withKey("order-1");

        assertThat(wide).isEqualTo(OutboxFilter.all()).isNotEqualTo(narrow);
        assertThat(narrow).isEqualTo(OutboxFilter.all().withKey("order-1")).hasSameHashCodeAs(wide.withKey("order-1"));
        assertThat(narrow.withKey(null).withStatus()).isEqualTo(wide);
        assertThat(narrow.toString()).contains("KEY=order-1");
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
        OutboxStatus[] statuses = {OutboxStatus.FAILED};
        OutboxFilter filter = OutboxFilter.all().withStatus(statuses);

        statuses[0] = OutboxStatus.PUBLISHED;

        assertThat(filter.statuses()).containsExactly(OutboxStatus.FAILED);
    }
}
