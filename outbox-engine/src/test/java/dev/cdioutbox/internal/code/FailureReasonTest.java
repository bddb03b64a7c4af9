package dev.cdioutbox.internal.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.invoke.MethodHandles;

import org.junit.jupiter.api.Test;

class FailureReasonTest {

    @Test
    void hasNoValuesOfARow() {
        Throwable failure = new IOException(
                "ERROR: value too long for column payload\n  Detail: Failing row contains (1, secret).");

        assertThat(FailureReason.of(failure)).isEqualTo("ERROR: value too long for column payload");
    }

    /** JSON-B fails with this exception of the JDK for a record that is not public. */
    @Test
    void printsAMethodThatCannotBeAccessedReadably() {
        Throwable failure =
                catchThrowable(() -> MethodHandles.publicLookup().unreflect(Placed.class.getDeclaredMethod("id")));

        assertThat(failure).isInstanceOf(IllegalAccessException.class);
        assertThat(FailureReason.of(failure))
                .contains(Placed.class.getName() + ".id()")
                .doesNotContain("[L", "@");
    }

    private record Placed(String id) {}

    @Test
    void isTheInnermostMessageInOneLine() {
        Throwable failure = new IllegalStateException("outer", new IOException(" table\n  gone. "));

        assertThat(FailureReason.of(failure)).isEqualTo("table gone");
        assertThat(FailureReason.of(new IllegalStateException((String) null)))
                .isEqualTo("java.lang.IllegalStateException");
    }

    @Test
    void keepsWhatTheOutboxKnowsOfIt() {
        Throwable failure = new IllegalStateException(
                "outer", new IllegalStateException("OBX-0502: the provider is away", new IOException("refused.")));

        assertThat(FailureReason.of(failure)).isEqualTo("OBX-0502: the provider is away: refused");
    }
}
