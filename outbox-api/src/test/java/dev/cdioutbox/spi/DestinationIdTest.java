package dev.cdioutbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The text of a destination is what logs and metrics have always shown, and no two destinations have the same one. */
class DestinationIdTest {

    @Test
    void textNamesTheOutboxUnlessItIsTheDefaultOne() {
        assertThat(DestinationId.of("billing", "orders")).hasToString("billing/orders");
        assertThat(DestinationId.of("default", "orders"))
                .hasToString("orders")
                .isEqualTo(DestinationId.ofDefaultOutbox("orders"));
    }

    /** Otherwise the destination 'billing/orders' of the default outbox would have the text of another one. */
    @ParameterizedTest
    @CsvSource({"default, billing/orders", "a/b, c", "'', orders", "billing, ''"})
    void nameThatMakesTheTextAmbiguousIsRefused(String outbox, String name) {
        assertThatThrownBy(() -> DestinationId.of(outbox, name)).isInstanceOf(IllegalArgumentException.class);
    }
}
