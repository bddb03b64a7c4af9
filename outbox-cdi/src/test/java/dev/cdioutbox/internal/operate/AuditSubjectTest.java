package dev.cdioutbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.Test;

/** Guards that an audit entry has the criteria of its filter. */
class AuditSubjectTest {
    @Test
    void subjectSaysWhatTheFilterNamesAndNoMore() {
        assertThat(AuditSubject.of(OutboxFilter.all(), OutboxPageRequest.of(1))).isEqualTo("{}");
        assertThat(AuditSubject.of(
                        OutboxFilter.all()
                                .withStatus(OutboxStatus.FAILED, OutboxStatus.ABANDONED)
                                .withKey("o\"1")
                                .withAggregateId("a")
                                .withCorrelationId("c")
                                .withCausationId("m")
                                .withTenantId("t"),
                        OutboxPageRequest.ofSequence(7)))
                .isEqualTo(
                        "{\"status\":\"ABANDONED,FAILED\",\"key\":\"o\\\"1\",\"aggregate\":\"a\",\"correlation\":\"c\",\"causation\":\"m\",\"tenant\":\"t\",\"afterSequence\":6,\"beforeSequence\":8}");
    }
}
