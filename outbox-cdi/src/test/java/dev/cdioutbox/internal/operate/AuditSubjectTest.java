package dev.cdioutbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.audit.AuditTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that an audit entry has the criteria of its filter, and fits its column. */
class AuditSubjectTest {
    private static final String NAME = "0199aabbccdd00112233445566778899";
    private static final OutboxFilter FILTER =
            OutboxFilter.all().withKey("a").withBeforeSequence(1000L).withAfterSequence(5L);

    @Test
    void subjectSaysWhatTheFilterNamesAndNoMore() {
        assertThat(AuditSubject.of(OutboxFilter.all())).isEqualTo("{}");
        assertThat(AuditSubject.of(OutboxFilter.all()
                        .withStatus(OutboxStatus.FAILED, OutboxStatus.ABANDONED)
                        .withKey("o\"1")
                        .withCorrelationId("c")
                        .withCausationId("m")
                        .withTenantId("t")
                        .withSequence(7)))
                .isEqualTo(
                        "{\"status\":\"ABANDONED,FAILED\",\"key\":\"o\\\"1\",\"correlation\":\"c\",\"causation\":\"m\",\"tenant\":\"t\",\"afterSequence\":6,\"beforeSequence\":8}");
    }

    @Test
    void longErrorIsCut() {
        assertThat(AuditSubject.of(OutboxFilter.all().withError("x".repeat(5000))))
                .hasSizeLessThan(300);
    }

    @Test
    void subjectSaysTheFilterAndHowFarTheOperationHasCome() {
        String begun = AuditSubject.of(FILTER, NAME, 700L);

        assertThat(begun)
                .isEqualTo("{\"operation\":\"" + NAME
                        + "\",\"key\":\"a\",\"afterSequence\":5,\"beforeSequence\":1000,\"last\":700}");
        assertThat(AuditSubject.last(begun)).isEqualTo(700);
        assertThat(AuditSubject.extended(begun, 900L)).isEqualTo(begun.replace("700", "900"));
        assertThat(AuditSubject.last(AuditSubject.extended(begun, null))).isNull();
    }

    @Test
    void valueThatLooksLikeTheNameIsNotTheName() {
        String part = AuditSubject.part(NAME);
        assertThat(AuditSubject.of(FILTER, NAME, null)).contains(part);
        assertThat(AuditSubject.of(OutboxFilter.all().withKey(part)))
                .contains(NAME)
                .doesNotContain(part);
    }

    /** A repeated batch, a late one, and one with another filter do not continue the operation. */
    @Test
    void operationIsContinuedWhereItEndedAndWithItsFilterOnly() {
        String begun = AuditSubject.of(FILTER, NAME, 700L);
        OutboxFilter next = FILTER.withAfterSequence(700L);

        assertThat(AuditSubject.isContinuedBy(begun, next, NAME)).isTrue();
        assertThat(AuditSubject.isContinuedBy(begun, FILTER, NAME)).isFalse();
        assertThat(AuditSubject.isContinuedBy(begun, FILTER.withAfterSequence(701L), NAME))
                .isFalse();
        assertThat(AuditSubject.isContinuedBy(begun, next.withKey("b"), NAME)).isFalse();
        assertThat(AuditSubject.isContinuedBy(begun, next.withKey(null), NAME)).isFalse();
        assertThat(AuditSubject.isContinuedBy(AuditSubject.extended(begun, null), next, NAME))
                .isFalse();
    }

    /** The outbox could not read a truncated subject again. */
    @ParameterizedTest
    @ValueSource(strings = {"x", "\"", "\u0001"})
    void subjectOfTheLongestFilterFitsItsColumn(String character) {
        String longest = character.repeat(500);
        OutboxFilter filter = FILTER.withStatus(OutboxStatus.values())
                .withEventType(longest)
                .withKey(longest)
                .withDestination(longest)
                .withCorrelationId(longest)
                .withCausationId(longest)
                .withTenantId(longest)
                .withCreated(Instant.EPOCH.plusNanos(1), Instant.EPOCH.plusNanos(2))
                .withError(longest)
                .withShadowed(false)
                .withBeforeSequence(Long.MAX_VALUE)
                .withAfterSequence(Long.MAX_VALUE - 1);

        assertThat(AuditSubject.of(filter, NAME, Long.MAX_VALUE))
                .hasSizeLessThanOrEqualTo(AuditTable.MAX_SUBJECT_LENGTH);
    }
}
