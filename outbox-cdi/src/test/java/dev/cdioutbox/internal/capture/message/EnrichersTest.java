package dev.cdioutbox.internal.capture.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.Bean;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxMetadata;
import org.junit.jupiter.api.Test;

/** Guards the order of enrichers, and that a failed one refuses the event. */
public class EnrichersTest {
    private final List<String> asked = new ArrayList<>();
    private final EventMetadata metadata =
            new EventMetadata("shop.Placed", new Event("placed", 1, null, null), List.of("default"));

    private class WithoutPriority implements OutboxEnricher {
        @Override
        public void enrich(Object event, OutboxMetadata data) throws Exception {
            asked.add(getClass().getSimpleName());
        }
    }

    @Priority(10)
    private final class Early extends WithoutPriority {}

    @Priority(-1)
    private final class Earliest extends WithoutPriority {}

    @Priority(Integer.MAX_VALUE - 1)
    private final class Late extends WithoutPriority {}

    private static final class Failing implements OutboxEnricher {
        private final Throwable failure;

        Failing(Throwable failure) {
            this.failure = failure;
        }

        @Override
        public void enrich(Object event, OutboxMetadata data) throws Exception {
            if (failure instanceof Error e) {
                throw e;
            }
            throw (Exception) failure;
        }
    }

    @Test
    void lowestPriorityIsAskedFirstAndThoseWithoutOneLast() {
        describe(new WithoutPriority(), new Late(), new Early(), new Earliest());

        assertThat(asked).containsExactly("Earliest", "Early", "Late", "WithoutPriority");
    }

    @Test
    void failureNamesTheEventTheBeansClassAndTheReason() {
        assertThatThrownBy(() -> describe(new Failing(new IOException("no tenant today"))))
                .isInstanceOf(OutboxException.class)
                .hasMessage("OBX-0115: event java.lang.String: the enricher " + Failing.class.getName()
                        + " failed: no tenant today.")
                .hasRootCauseInstanceOf(IOException.class);
    }

    @Test
    void refusalReachesTheCallerAsItIs() {
        assertThatThrownBy(() -> describe((event, data) -> data.priority(10)))
                .isInstanceOf(EventRefusedException.class)
                .hasMessageStartingWith("OBX-0114: event shop.Placed: its priority is 10");

        EventRefusedException own = new EventRefusedException("SHOP-1", "the shop is closed", null);
        assertThatThrownBy(() -> describe(new Failing(own))).isSameAs(own);
    }

    @Test
    void errorsThatSayWhatIsWrongWithTheEnricherAreExplained() {
        for (Error error : new Error[] {new StackOverflowError(), new NoClassDefFoundError("shop/Tenant")}) {
            assertThatThrownBy(() -> describe(new Failing(error)))
                    .hasMessageStartingWith("OBX-0115")
                    .hasCause(error);
        }
    }

    @Test
    void noEnricherIsCalledAfterAFailure() {
        assertThatThrownBy(() -> describe(new Failing(new IllegalStateException("first")), new WithoutPriority()))
                .hasMessageStartingWith("OBX-0115");

        assertThat(asked).isEmpty();
    }

    private void describe(OutboxEnricher... enrichers) {
        new Enrichers(beans(enrichers)).describe("event", metadata);
    }

    /** The instances are proxies: only the Bean object knows the class. */
    @SuppressWarnings("unchecked")
    private static Instance<OutboxEnricher> beans(OutboxEnricher... enrichers) {
        return (Instance<OutboxEnricher>)
                fake(Instance.class, method -> Arrays.stream(enrichers).map(enricher -> {
                    OutboxEnricher proxy = enricher::enrich;
                    Object bean = fake(Bean.class, getBeanClass -> enricher.getClass());
                    return fake(Instance.Handle.class, called -> called.equals("get") ? proxy : bean);
                }));
    }

    private static Object fake(Class<?> type, Answer answer) {
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer.to(method.getName()));
    }

    private interface Answer {
        Object to(String method);
    }
}
