package dev.cdioutbox.internal.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;

import org.junit.jupiter.api.Test;

/** Guards that a trace names the place of a failure, is short, and quotes nothing. */
class FailureTraceTest {
    private static final StackTraceElement FRAME = new StackTraceElement("shop.Codec", "write", "Codec.java", 7);

    @Test
    void rootCauseComesFirstAndNoMessageIsInIt() {
        Throwable root = at(2, new IllegalStateException("iban DE02"));
        Throwable failure = at(4, new RuntimeException("iban DE02", root));

        assertThat(FailureTrace.of(failure).text()).isEqualTo("""
                        java.lang.IllegalStateException
                          at shop.Codec.write(Codec.java:7)
                          at shop.Codec.write(Codec.java:7)
                        wrapped by java.lang.RuntimeException
                          at shop.Codec.write(Codec.java:7)
                          at shop.Codec.write(Codec.java:7)
                          at shop.Codec.write(Codec.java:7)
                          … 1 more""");
    }

    @Test
    void failuresOfOnePlaceAreEqual() {
        FailureTrace first = FailureTrace.of(at(1, new IllegalStateException("order 1")));

        assertThat(FailureTrace.of(at(1, new IllegalStateException("order 2")))).isEqualTo(first);
        assertThat(FailureTrace.of(at(2, new IllegalStateException("order 1"))).id())
                .isNotEqualTo(first.id());
    }

    @Test
    void longTraceIsCutAndCircularOneEnds() {
        Throwable first = new IllegalStateException();
        first.setStackTrace(new StackTraceElement[] {new StackTraceElement("x".repeat(5000), "write", null, 1)});
        Throwable second = at(1, new IllegalStateException(first));
        first.initCause(second);

        assertThat(FailureTrace.of(first).text()).hasSize(FailureTrace.LENGTH).endsWith("…");
    }

    private static Throwable at(int frames, Throwable failure) {
        failure.setStackTrace(Collections.nCopies(frames, FRAME).toArray(StackTraceElement[]::new));
        return failure;
    }
}
