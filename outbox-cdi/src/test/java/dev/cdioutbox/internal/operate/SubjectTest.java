package dev.cdioutbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import org.junit.jupiter.api.Test;

class SubjectTest {
    private static final Instant STORED = Instant.parse("2026-11-21T13:00:00.123Z");

    @Test
    void subjectSaysWhatTheFilterNamesAndNoMore() {
        assertThat(Subject.of(OutboxFilter.all())).isEqualTo("{}");
        assertThat(Subject.of(OutboxFilter.all()
                        .withStatus(OutboxStatus.FAILED, OutboxStatus.ABANDONED)
                        .withKey("o\"1")
                        .withSequence(7)))
                .isEqualTo(
                        "{\"status\":\"ABANDONED,FAILED\",\"key\":\"o\\\"1\",\"afterSequence\":6,\"beforeSequence\":8}");
    }

    @Test
    void longErrorIsCutSoThatTheSubjectFitsItsColumn() {
        assertThat(Subject.of(OutboxFilter.all().withError("x".repeat(5000)))).hasSizeLessThan(300);
    }

    @Test
    void operationMayConcernWhatItsFilterLetsThrough() {
        OutboxFilter all = OutboxFilter.all();

        assertThat(mayConcern(all)).isTrue();
        assertThat(mayConcern(all.withSequence(7))).isTrue();
        assertThat(mayConcern(all.withSequence(8))).isFalse();
        assertThat(mayConcern(all.withAfterSequence(7L))).isFalse();
        assertThat(mayConcern(all.withBeforeSequence(7L))).isFalse();
        assertThat(mayConcern(all.withEventType("Placed"))).isTrue();
        assertThat(mayConcern(all.withEventType("Cancelled"))).isFalse();
        assertThat(mayConcern(all.withKey("o-2"))).isFalse();
        assertThat(mayConcern(all.withDestination("audit"))).isFalse();
        assertThat(mayConcern(all.withCreated(Instant.parse("2026-11-21T13:00:00Z"), null)))
                .isTrue();
        assertThat(mayConcern(all.withCreated(null, Instant.parse("2026-11-21T13:00:00Z"))))
                .isFalse();
        assertThat(mayConcern(all.withCreated(null, STORED))).isFalse();
        assertThat(mayConcern(all.withCreated(STORED, null))).isTrue();
    }

    @Test
    void pauseConcernsNoMessage() {
        assertThat(Subject.mayConcern("default", message())).isFalse();
    }

    private static boolean mayConcern(OutboxFilter filter) {
        return Subject.mayConcern(Subject.of(filter), message());
    }

    private static OutboxMessage message() {
        return new OutboxMessage(
                7,
                UUID.randomUUID(),
                new OutboxMessage.Event("Placed", 1, null, "o-1"),
                new OutboxMessage.Body("application/json", "{}", 2),
                new OutboxMessage.Context(null, null, null, Map.of()),
                OutboxMessage.Terms.NONE,
                new OutboxMessage.Delivery("default", OutboxStatus.PENDING, 0, null, null, null, null, null),
                STORED,
                STORED);
    }
}
