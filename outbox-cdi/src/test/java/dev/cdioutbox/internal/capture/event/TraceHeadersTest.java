package dev.cdioutbox.internal.capture.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that trace headers that do not fit are shortened or left out, and never fail an event. */
class TraceHeadersTest {

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "  ", "a=\0", "a=é", "a=1\r\nb=2"})
    void whatNoHeaderMayContainIsLeftOut(String value) {
        assertThat(TraceHeaders.fitting("tracestate", value)).isNull();
        assertThat(TraceHeaders.fitting("traceparent", value)).isNull();
    }

    @Test
    void parentThatIsTooLongIsLeftOut() {
        assertThat(TraceHeaders.fitting("traceparent", "0".repeat(128))).hasSize(128);
        assertThat(TraceHeaders.fitting("traceparent", "0".repeat(129))).isNull();
    }

    @Test
    void stateThatJustFitsIsKeptAsItIs() {
        String state = "a=" + "x".repeat(250) + " , b=" + "x".repeat(255);

        assertThat(state).hasSize(512);
        assertThat(TraceHeaders.fitting("tracestate", state)).isEqualTo(state);
    }

    @Test
    void longMembersAreLeftOutFirstBeginningWithTheLast() {
        String huge = "=" + "x".repeat(200);

        assertThat(TraceHeaders.fitting("tracestate", "a" + huge + ",b" + huge + ",c=1,d" + huge + ",e=2"))
                .isEqualTo("a" + huge + ",b" + huge + ",c=1,e=2");
        assertThat(TraceHeaders.fitting("tracestate", "a=" + "x".repeat(600) + ",b=1"))
                .isEqualTo("b=1");
        assertThat(TraceHeaders.fitting("tracestate", "a=" + "x".repeat(600))).isNull();
    }

    @Test
    void thenTheLastMembersAreLeftOut() {
        String kept = members(30, "=" + "x".repeat(13));

        assertThat(kept).hasSize(30 * 17 - 1);
        assertThat(TraceHeaders.fitting("tracestate", kept + ",last=1")).isEqualTo(kept);
    }

    private static String members(int count, String rest) {
        return IntStream.range(10, 10 + count).mapToObj(i -> i + rest).collect(Collectors.joining(","));
    }
}
