package dev.cdioutbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;

import dev.cdioutbox.OutboxAuditEntry;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.operate.BatchedOperations.OperationBatch;
import org.junit.jupiter.api.Test;

class BatchAuditTest {
    private static final String NAME = "0199aabbccdd00112233445566778899";

    @Test
    void batchIsFoundByItsNameWithWhatItDid() {
        OutboxFilter filter = OutboxFilter.all().withKey("a").withBeforeSequence(1000L);

        assertThat(find(operation(500, BatchAudit.of(filter, NAME, 700L)))).isEqualTo(new OperationBatch(500, 700L));
        assertThat(find(operation(3, BatchAudit.of(filter, NAME, null)))).isEqualTo(new OperationBatch(3, null));
        assertThat(BatchAudit.of(filter, NAME, 700L)).startsWith("{\"key\":\"a\",\"beforeSequence\":1000,");
    }

    @Test
    void whatOnlyLooksLikeItIsNone() {
        assertThat(find(operation(1, NAME))).isNull();
        assertThat(find(operation(1, BatchAudit.of(OutboxFilter.all().withKey(NAME), "another", 1L))))
                .isNull();
        assertThat(find(operation(1, "{\"batch\":\"" + NAME))).isNull();
        assertThat(find()).isNull();
    }

    private static OperationBatch find(OutboxAuditEntry... entries) {
        return BatchAudit.find(List.of(entries), NAME).orElse(null);
    }

    private static OutboxAuditEntry operation(int changed, String subject) {
        return new OutboxAuditEntry(Instant.EPOCH, "somebody", "retry", subject, changed);
    }
}
