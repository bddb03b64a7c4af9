package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.deadletter.DeadLetter;
import dev.cdioutbox.internal.outbox.LazyStore;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.spi.PayloadMask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that a masked value leaves the server in no form. */
class PayloadMasksTest {
    private final PayloadMasks masks = new PayloadMasks();

    @BeforeEach
    void maskNothing() {
        point(null);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "/iban              | {'iban':'X','a':1}             | {'iban':'•••','a':1}",
                "/iban              | {'a':{'iban':1.50}}            | {'a':{'iban':1.50}}",
                "/a/iban            | {'a':{'iban':null,'b':[true]}} | {'a':{'iban':'•••','b':[true]}}",
                "/a                 | {'a':{'iban':'X'}}             | {'a':'•••'}",
                "/lines/*/iban      | {'lines':[{'iban':1},{'b':2}]} | {'lines':[{'iban':'•••'},{'b':2}]}",
                "/*/iban            | {'a':{'iban':1},'b':{'c':2}}   | {'a':{'iban':'•••'},'b':{'c':2}}",
                "/1                 | [1,2]                          | [1,'•••']",
                "/*                 | [1,2]                          | ['•••','•••']",
                "/a~1b~0c/          | {'a/b~c':{'':1}}               | {'a/b~c':{'':'•••'}}",
                "/a, /b             | {'a':1,'b':2,'c':3}            | {'a':'•••','b':'•••','c':3}"
            })
    void pointersLeadToWhatIsMasked(String pointers, String text, String shown) {
        List<String> all = Arrays.stream(pointers.split(", ")).toList();

        assertThat(JsonMask.of(all).masked(text.replace('\'', '"'))).contains(shown.replace('\'', '"'));
    }

    /** What the mask cannot read, it cannot mask. */
    @ParameterizedTest
    @ValueSource(strings = {"DE89", "<iban>DE89</iban>", "89", "\"DE89\"", "{\"iban\":\"DE89\"", ""})
    void textThatIsNoJsonStructureIsHidden(String text) {
        point("/iban");

        assertThat(shown(OutboxPayload.text(text))).isEqualTo(PayloadMasks.HIDDEN);
    }

    /** A parser takes one of the two members, and another parser the other one. */
    @Test
    void memberThatIsThereTwiceIsNotShown() {
        point("/a/iban, /b");

        assertThat(shown(OutboxPayload.text("{\"a\":{\"iban\":\"DE89\"},\"a\":1}"))
                        .text())
                .doesNotContain("DE89");
        assertThat(shown(OutboxPayload.text("{\"c\":1} {\"b\":\"DE89\"}")).text())
                .doesNotContain("DE89");
        assertThat(shown(OutboxPayload.text("[".repeat(5000) + "]".repeat(5000))))
                .isEqualTo(PayloadMasks.HIDDEN);
    }

    @Test
    void bytesAreHiddenUnlessABeanMakesATextOfThem() {
        OutboxPayload bytes = OutboxPayload.binary(new byte[] {1});
        assertThat(shown(bytes)).isSameAs(bytes);
        point("/iban");
        assertThat(shown(bytes)).isEqualTo(PayloadMasks.HIDDEN);

        use((type, contentType, payload) -> OutboxPayload.text("{\"iban\":1,\"type\":\"" + type + contentType + "\"}"));

        assertThat(shown(bytes).text()).isEqualTo("{\"iban\":\"•••\",\"type\":\"OrderPaidavro/binary\"}");
    }

    @Test
    void beansWorkOnTheResultsOfEachOtherAndOneHidesAll() {
        PayloadMask doubling = (type, contentType, payload) -> OutboxPayload.text(payload.text() + payload.text());
        use(doubling, doubling);
        assertThat(shown(OutboxPayload.text("a")).text()).isEqualTo("aaaa");

        use((type, contentType, payload) -> null, doubling);
        assertThat(shown(OutboxPayload.text("a"))).isEqualTo(PayloadMasks.HIDDEN);
    }

    /** The log may not quote the payload either. Kotlin and Groovy throw checked exceptions that no method declares. */
    @ParameterizedTest
    @ValueSource(
            classes = {IllegalStateException.class, AssertionError.class, IOException.class, StackOverflowError.class})
    void payloadOfAMaskThatFailsIsHidden(Class<? extends Throwable> kind) {
        use((type, contentType, payload) -> {
            throw undeclared(kind, payload.text());
        });
        try (LogLines lines = new LogLines(PayloadMasks.class.getName())) {
            shown(OutboxPayload.text("DE89"));
            assertThat(shown(OutboxPayload.text("DE89"))).isEqualTo(PayloadMasks.HIDDEN);

            assertThat(lines.all())
                    .singleElement()
                    .asString()
                    .startsWith("OBX-0650")
                    .contains("OrderPaid", kind.getName())
                    .doesNotContain("DE89");
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException undeclared(Class<? extends Throwable> kind, String text)
            throws E {
        try {
            throw (E)
                    (kind == AssertionError.class
                            ? new AssertionError(text)
                            : kind.getConstructor(String.class).newInstance(text));
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Test
    void deadLetterIsMaskedByItsType() {
        use((type, contentType, payload) -> OutboxPayload.text(type + contentType));
        DeadLetter letter = new DeadLetter(
                "ID:1", null, "dlq", null, "OrderPaid", null, Instant.EPOCH, null, null, "DE89", Map.of());

        assertThat(masks.masked(letter).text()).isEqualTo("OrderPaidnull");
        assertThat(masks.masked(letter.withText(null)).text()).isNull();
    }

    private OutboxPayload shown(OutboxPayload payload) {
        return masks.masked("OrderPaid", "avro/binary", payload);
    }

    /** By a configuration of two outboxes, of which the second one has the pointers. */
    private void point(String pointers) {
        OutboxConfig first = TestConfig.of();
        OutboxConfig second = pointers == null ? first : TestConfig.of("outbox.console.mask", pointers);
        masks.outboxes = new Outboxes(List.of(
                new OutboxInstance("default", new CurrentConfig(first), (LazyStore) null),
                new OutboxInstance("second", new CurrentConfig(second), (LazyStore) null)));
    }

    private void use(PayloadMask... beans) {
        masks.beans = Arrays.stream(beans)
                .map(mask -> new PayloadMasks.Bean("Mask", mask))
                .toList();
    }
}
