package dev.cdioutbox.jms.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import jakarta.interceptor.InvocationContext;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.consume.TransactionCause;
import dev.cdioutbox.internal.transport.CausingMessage;
import dev.cdioutbox.internal.transport.Traces;
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

    /** Entities fire at the flush, after the call. */
    @Test
    void messageIsTheCauseOfTheWholeTransaction() throws Exception {
        List<CausingMessage> told = new ArrayList<>();
        CausationScope scope = new CausationScope();
        scope.transaction = new TransactionCause() {
            @Override
            public void handles(CausingMessage message) {
                told.add(message);
            }
        };
        scope.traces = ReceivedMessages.fake(Traces.class, (method, arguments) -> null);
        Object[] parameters = {message(Map.of("messageId", "m1", "tenantId", "acme", "generation", "4"))};

        scope.proceed(ReceivedMessages.fake(
                InvocationContext.class, (method, arguments) -> method.equals("getParameters") ? parameters : null));

        assertThat(told).containsExactly(new CausingMessage("m1", null, "acme", null, null, 4));
    }

    private static int generation(Map<String, String> properties) throws Exception {
        return CausationScope.cause(message(properties)).generation();
    }

    private static Message message(Map<String, String> properties) {
        return ReceivedMessages.of(TextMessage.class, OutboxPayload.text("{}"), properties);
    }
}
