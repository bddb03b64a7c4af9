package dev.cdioutbox.jms.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import jakarta.jms.TextMessage;

import dev.cdioutbox.OutboxPayload;
import org.junit.jupiter.api.Test;

/** What a consumer fires belongs to the chain of the message that it received. */
class CausationScopeTest {

    @Test
    void consumerContinuesTheCountOfTheGenerations() throws Exception {
        assertThat(generation(Map.of("messageId", "m1", "generation", "4"))).isEqualTo(4);
    }

    @Test
    void messageThatNoHandlerHasCausedIsNotCounted() throws Exception {
        assertThat(generation(Map.of("messageId", "m1"))).isZero();
    }

    @Test
    void propertyOfAForeignMessageMeansSomethingElse() throws Exception {
        assertThat(generation(Map.of("generation", "250"))).isZero();
    }

    private static int generation(Map<String, String> properties) throws Exception {
        return CausationScope.cause(ReceivedMessages.of(TextMessage.class, OutboxPayload.text("{}"), properties))
                .generation();
    }
}
