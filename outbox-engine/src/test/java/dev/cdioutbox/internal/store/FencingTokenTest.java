package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FencingTokenTest {
    @Test
    void longestOneFitsIntoItsColumn() {
        FencingToken longest =
                new FencingToken(UUID.randomUUID().toString(), Long.MAX_VALUE, Long.toString(Long.MAX_VALUE, 36));

        assertThat(longest.text()).hasSizeLessThanOrEqualTo(64);
        assertThat(FencingToken.parse(longest.text())).isEqualTo(longest);
        assertThat(FencingToken.parse(null)).isNull();
    }

    @Test
    void firstOneIsReadAsItWasWritten() {
        FencingToken first = FencingToken.first();

        assertThat(FencingToken.parse(first.text())).isEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "by hand", "memory:1", "memory:?:owner", "memory:1:owner:more"})
    void anotherTextIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> FencingToken.parse(text));
    }
}
