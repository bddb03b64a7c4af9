package dev.cdioutbox.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that a request keeps its values, and is immutable. */
class OutboxPageRequestTest {

    @Test
    void eachValueIsKeptWhenAnotherOneIsSet() {
        OutboxPageRequest first = OutboxPageRequest.of(7);

        OutboxPageRequest range = first.withBefore(9L).withAfter(3L);

        assertThat(range.limit()).isEqualTo(7);
        assertThat(range.after()).isEqualTo(3);
        assertThat(range.before()).isEqualTo(9);
        assertThat(range)
                .isEqualTo(OutboxPageRequest.of(7).withAfter(3L).withBefore(9L))
                .hasSameHashCodeAs(OutboxPageRequest.of(7).withAfter(3L).withBefore(9L))
                .isNotEqualTo(OutboxPageRequest.of(8).withAfter(3L).withBefore(9L));
        assertThat(range.toString()).contains("limit=7", "after=3", "before=9");
        assertThat(range.withAfter(null).withBefore(null)).isEqualTo(first).isEqualTo(OutboxPageRequest.of(7));
    }

    @Test
    void oneMessageIsNamedByItsNeighbours() {
        assertThat(OutboxPageRequest.ofSequence(7))
                .isEqualTo(OutboxPageRequest.of(1).withAfter(6L).withBefore(8L));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1001})
    void limitOutOfRangeIsRefused(int limit) {
        assertThatIllegalArgumentException().isThrownBy(() -> OutboxPageRequest.of(limit));
    }
}
