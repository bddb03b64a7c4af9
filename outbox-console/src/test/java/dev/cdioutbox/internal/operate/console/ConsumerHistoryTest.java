package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import dev.cdioutbox.internal.consume.ConsumedMessage;
import dev.cdioutbox.internal.operate.console.ConsumerHistory.ConsumerFailure;
import org.junit.jupiter.api.Test;

/** Guards what the console says of consumers, and that a consumer that fails for ever does not fill the memory. */
class ConsumerHistoryTest {
    private final ConsumerHistory history = new ConsumerHistory();

    @Test
    void consumerIsShownBeforeItsFirstFailureAndWithTheLastReasonAfterIt() {
        history.begins("shipping");
        assertThat(history.consumers()).containsExactly(new ConsumerHistory.Consumer("shipping", 0, 0, false, null));

        fail("1", new IllegalStateException("no stock"));
        history.redelivered("shipping", message("1"));
        fail("1", null);

        assertThat(history.consumers()).singleElement().satisfies(shipping -> {
            assertThat(shipping.failures()).isEqualTo(2);
            assertThat(shipping.redeliveries()).isEqualTo(1);
            assertThat(shipping.failing()).isTrue();
            assertThat(shipping.last().reason()).startsWith("its transaction was rolled back");
        });
        assertThat(history.failures("1")).singleElement().satisfies(both -> {
            assertThat(both.times()).isEqualTo(2);
            assertThat(both).isEqualTo(history.consumers().get(0).last());
        });
    }

    @Test
    void oldestFailureIsForgottenFirst() {
        for (int i = 0; i <= 500; i++) {
            fail(String.valueOf(i), new IllegalStateException("no stock"));
        }

        assertThat(history.failures("0")).isEmpty();
        assertThat(history.failures("1")).extracting(ConsumerFailure::reason).containsExactly("no stock");
        assertThat(history.consumers().get(0).failures()).isEqualTo(501);
    }

    @Test
    void textOfAFailureWithAnErasedMessageIsForgotten() {
        fail("1", new IllegalStateException("no stock"));
        fail(null, new IllegalStateException("no id"));
        fail("2", new IllegalStateException("DE89"));

        history.erased(List.of("2"));

        assertThat(history.failures("1")).extracting(ConsumerFailure::reason).containsExactly("no stock");
        assertThat(history.failures("2")).singleElement().satisfies(erased -> {
            assertThat(erased.reason()).startsWith("the message was erased");
            assertThat(history.consumers().get(0).last()).isEqualTo(erased);
            assertThat(history.consumers().get(0).failures()).isEqualTo(3);
        });
    }

    /** Some other sender's. */
    @Test
    void messageWithoutAnIdIsCounted() {
        fail(null, new IllegalStateException("OBX-0507"));

        assertThat(history.consumers().get(0).last().message()).isNull();
    }

    private void fail(String id, Throwable cause) {
        history.failed("shipping", message(id), cause);
    }

    private static ConsumedMessage message(String id) {
        return new ConsumedMessage(id, "OrderPlaced", null);
    }
}
