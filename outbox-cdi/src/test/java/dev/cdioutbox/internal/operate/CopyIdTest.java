package dev.cdioutbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;

import org.junit.jupiter.api.Test;

/** Guards that a repeated batch of copies creates no second message. */
class CopyIdTest {
    private static final String NAME = "0199aabbccdd00112233445566778899";
    private static final UUID ORIGINAL = UUID.randomUUID();

    @Test
    void copyOfABatchThatIsMadeAgainHasTheSameId() {
        UUID id = TransactionalOperations.copyId(NAME, ORIGINAL);

        assertThat(TransactionalOperations.copyId(NAME, ORIGINAL)).isEqualTo(id);
        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(id).asString().startsWith("0199aabb-ccdd-7");
    }

    @Test
    void eachBatchAndEachOriginalHasAnother() {
        UUID id = TransactionalOperations.copyId(NAME, ORIGINAL);

        assertThat(TransactionalOperations.copyId(NAME, UUID.randomUUID())).isNotEqualTo(id);
        assertThat(TransactionalOperations.copyId("0199aabbccdd00112233445566778890", ORIGINAL))
                .isNotEqualTo(id);
        assertThat(TransactionalOperations.copyId(null, ORIGINAL))
                .isNotEqualTo(TransactionalOperations.copyId(null, ORIGINAL));
    }
}
