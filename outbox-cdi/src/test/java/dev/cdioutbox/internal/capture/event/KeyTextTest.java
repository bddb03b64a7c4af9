package dev.cdioutbox.internal.capture.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Guards that equal keys have equal texts, also behind a proxy. */
class KeyTextTest {

    record Compound(String left, int right) {}

    /** Like a proxy: a subclass whose own fields are empty. */
    static class Proxied extends Placed {
        private final Placed real;

        Proxied(Placed real) {
            super(0);
            this.real = real;
        }

        @Override
        long getId() {
            return real.getId();
        }
    }

    @OutboxEvent
    static class Placed {
        @OutboxKey
        private final long id;

        Placed(long id) {
            this.id = id;
        }

        long getId() {
            return id;
        }
    }

    @Test
    void equalKeysHaveOneText() {
        UUID id = UUID.randomUUID();
        assertThat(KeyText.of(id)).isEqualTo(id.toString());
        assertThat(KeyText.of(7L)).isEqualTo("7");
        assertThat(KeyText.of(new Compound("a", 1))).isEqualTo("Compound[left=a, right=1]");
        assertThat(KeyText.of(Optional.of("a"))).isEqualTo("a");
        assertThat(KeyText.of(Optional.empty())).isNull();
        assertThat(KeyText.of(null)).isNull();
    }

    @ParameterizedTest
    @MethodSource
    void keyWithoutATextOfItsOwnIsRefused(Object key) {
        assertThatThrownBy(() -> KeyText.of(key)).hasMessageContaining("has no toString() of its own");
    }

    static Stream<Object> keyWithoutATextOfItsOwnIsRefused() {
        return Stream.of(new Object(), new byte[] {1}, Optional.of(new int[] {1}));
    }

    @Test
    void keyOfAProxyIsThatOfWhatItStandsFor() {
        assertThat(KeyAccessor.of(Proxied.class).read(new Proxied(new Placed(4711))))
                .isEqualTo("4711");
    }
}
