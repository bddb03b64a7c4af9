package dev.cdioutbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.store.audit.AuditTable;
import org.junit.jupiter.api.Test;

/** Guards that the batches of one operation share an audit entry, which no other operation continues. */
class BatchAuditTest {
    private static final String NAME = "0199aabbccdd00112233445566778899";
    private static final OutboxFilter FILTER =
            OutboxFilter.all().withKey("a").withBeforeSequence(1000L).withAfterSequence(5L);

    @Test
    void subjectSaysTheFilterAndHowFarTheOperationHasCome() {
        String begun = BatchAudit.begin(FILTER, NAME).reached(700L);

        assertThat(begun)
                .contains(BatchAudit.part(NAME))
                .contains("\"key\":\"a\",\"afterSequence\":5,\"beforeSequence\":1000,\"last\":700");
        assertThat(BatchAudit.of(begun).last()).isEqualTo(700);
        assertThat(BatchAudit.of(begun).reached(900L)).isEqualTo(begun.replace("700", "900"));
        assertThat(BatchAudit.of(BatchAudit.of(begun).reached(null)).last()).isNull();
    }

    @Test
    void valueThatLooksLikeTheNameIsNotTheName() {
        assertThat(AuditSubject.of(OutboxFilter.all().withKey(BatchAudit.part(NAME))))
                .contains(NAME)
                .doesNotContain(BatchAudit.part(NAME));
    }

    /** The outbox could not read a truncated subject again. */
    @Test
    void subjectOfTheLongestFilterFitsItsColumn() {
        for (String character : new String[] {"x", "\u0001"}) {
            String longest = character.repeat(500);
            OutboxFilter filter = FILTER.withEventType(longest)
                    .withKey(longest)
                    .withDestination(longest)
                    .withCorrelationId(longest)
                    .withCausationId(longest)
                    .withTenantId(longest)
                    .withError(longest);

            assertThat(BatchAudit.begin(filter, NAME).reached(Long.MAX_VALUE))
                    .hasSizeLessThanOrEqualTo(AuditTable.MAX_SUBJECT_LENGTH);
        }
    }
}
