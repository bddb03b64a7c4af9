package dev.cdioutbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;

import org.junit.jupiter.api.Test;

/** Guards that a repeated batch of copies creates no second message. */
class CopyIdSourceTest {
    private static final String BATCH = "0199aabbccdd00112233445566778899";
    private static final UUID ORIGINAL = UUID.randomUUID();

    @Test
    void copyOfABatchThatIsMadeAgainHasTheSameId() {
        UUID id = CopyIdSource.forBatch(BATCH).of(ORIGINAL);

        assertThat(CopyIdSource.forBatch(BATCH).of(ORIGINAL)).isEqualTo(id);
        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(id).asString().startsWith("0199aabb-ccdd-7");
    }

    @Test
    void eachBatchAndEachOriginalHasAnother() {
        UUID id = CopyIdSource.forBatch(BATCH).of(ORIGINAL);

        assertThat(CopyIdSource.forBatch(BATCH).of(UUID.randomUUID())).isNotEqualTo(id);
        assertThat(CopyIdSource.forBatch("0199aabbccdd00112233445566778890").of(ORIGINAL))
                .isNotEqualTo(id);
        assertThat(CopyIdSource.forBatch(null).of(ORIGINAL))
                .isNotEqualTo(CopyIdSource.forBatch(null).of(ORIGINAL));
    }
}
