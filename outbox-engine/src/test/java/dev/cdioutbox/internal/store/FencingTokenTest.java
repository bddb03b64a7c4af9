package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;

import org.junit.jupiter.api.Test;

class FencingTokenTest {
    @Test
    void longestOneFitsIntoItsColumn() {
        FencingToken longest =
                new FencingToken(UUID.randomUUID().toString(), Long.MAX_VALUE, Long.toString(Long.MAX_VALUE, 36));

        assertThat(longest.text()).hasSizeLessThanOrEqualTo(64);
        assertThat(FencingToken.parse(longest.text())).isEqualTo(longest);
        assertThat(FencingToken.parse(null)).isNull();
    }
}
