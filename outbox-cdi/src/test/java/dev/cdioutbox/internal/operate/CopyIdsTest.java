package dev.cdioutbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;

import org.junit.jupiter.api.Test;

class CopyIdsTest {
    private static final String PORTION = "0199aabbccdd00112233445566778899";
    private static final UUID ORIGINAL = UUID.randomUUID();

    @Test
    void copyOfAPortionThatIsMadeAgainHasTheSameId() {
        UUID id = CopyIds.forPortion(PORTION).of(ORIGINAL);

        assertThat(CopyIds.forPortion(PORTION).of(ORIGINAL)).isEqualTo(id);
        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(id).asString().startsWith("0199aabb-ccdd-7");
    }

    @Test
    void eachPortionAndEachOriginalHasAnother() {
        UUID id = CopyIds.forPortion(PORTION).of(ORIGINAL);

        assertThat(CopyIds.forPortion(PORTION).of(UUID.randomUUID())).isNotEqualTo(id);
        assertThat(CopyIds.forPortion("0199aabbccdd00112233445566778890").of(ORIGINAL))
                .isNotEqualTo(id);
        assertThat(CopyIds.forPortion(null).of(ORIGINAL))
                .isNotEqualTo(CopyIds.forPortion(null).of(ORIGINAL));
    }
}
