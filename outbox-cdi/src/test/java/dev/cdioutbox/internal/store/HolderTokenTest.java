package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;

import org.junit.jupiter.api.Test;

class HolderTokenTest {
    @Test
    void longestOneFitsIntoItsColumn() {
        HolderToken longest =
                new HolderToken(UUID.randomUUID().toString(), Long.MAX_VALUE, Long.toString(Long.MAX_VALUE, 36));

        assertThat(longest.text()).hasSizeLessThanOrEqualTo(64);
        assertThat(HolderToken.parse(longest.text())).isEqualTo(longest);
        assertThat(HolderToken.parse(null)).isNull();
    }
}
