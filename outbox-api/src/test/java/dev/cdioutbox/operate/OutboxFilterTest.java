package dev.cdioutbox.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.Map;
import java.util.function.Function;

import dev.cdioutbox.OutboxStatus;
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
                .withAggregateId("order-line-1")
                .withDestination("audit")
                .withCorrelationId("checkout-1")
                .withCausationId("message-1")
                .withTenantId("north")
                .withCreated(noon, noon.plusSeconds(1))
                .withError("refused")
                .withShadowed(true);

        assertThat(filter.statuses()).containsExactly(OutboxStatus.FAILED);
        assertThat(filter.eventType()).isEqualTo("OrderPlaced");
        assertThat(filter.key()).isEqualTo("order-1");
        assertThat(filter.aggregateId()).isEqualTo("order-line-1");
        assertThat(filter.destination()).isEqualTo("audit");
        assertThat(filter.correlationId()).isEqualTo("checkout-1");
        assertThat(filter.causationId()).isEqualTo("message-1");
        assertThat(filter.tenantId()).isEqualTo("north");
        assertThat(filter.createdFrom()).isEqualTo(noon);
        assertThat(filter.createdBefore()).isEqualTo(noon.plusSeconds(1));
        assertThat(filter.error()).isEqualTo("refused");
        assertThat(filter.shadowed()).isTrue();
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

    /** The database would refuse the first text, and the driver would turn the second one into a question mark. */
    @ParameterizedTest
    @ValueSource(strings = {"a\0b", "a\uD83D", "\uDE00b"})
    void textThatNoMessageCanHaveIsRefused(String text) {
        OutboxFilter all = OutboxFilter.all();
        Map<String, Function<String, OutboxFilter>> criteria = Map.of(
                "eventType", all::withEventType,
                "key", all::withKey,
                "aggregateId", all::withAggregateId,
                "destination", all::withDestination,
                "correlationId", all::withCorrelationId,
                "causationId", all::withCausationId,
                "tenantId", all::withTenantId,
                "error", all::withError);

        criteria.forEach((name, criterion) -> assertThatIllegalArgumentException()
                .as(name)
                .isThrownBy(() -> criterion.apply(text))
                .withMessageStartingWith(name + " has ")
                .withMessageNotContaining(text));
        assertThat(all.withKey("\uD83D\uDE00 \t").key()).isEqualTo("\uD83D\uDE00 \t");
    }

    /** These years, and no others, all databases can compare. */
    @Test
    void timeThatADatabaseCannotHaveIsRefused() {
        Instant first = Instant.parse("0001-01-01T00:00:00Z");
        Instant end = Instant.parse("9999-12-31T23:59:59.999999Z");
        OutboxFilter all = OutboxFilter.all();

        assertThat(all.withCreated(first, end).createdBefore()).isEqualTo(end);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> all.withCreated(first.minusNanos(1), null))
                .withMessageStartingWith("createdFrom is 0000-12-31T23:59:59.999999999Z;");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> all.withCreated(null, Instant.MAX))
                .withMessageStartingWith("createdBefore is +1000000000-12-31T23:59:59.999999999Z;");
    }

    @Test
    void nullAmongTheStatusesIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> OutboxFilter.all().withStatus(OutboxStatus.FAILED, null));
    }

    @Test
    void laterChangeOfTheStatusesChangesNothing() {
        OutboxStatus[] statuses = {OutboxStatus.FAILED};
        OutboxFilter filter = OutboxFilter.all().withStatus(statuses);

        statuses[0] = OutboxStatus.PUBLISHED;

        assertThat(filter.statuses()).containsExactly(OutboxStatus.FAILED);
    }
}
