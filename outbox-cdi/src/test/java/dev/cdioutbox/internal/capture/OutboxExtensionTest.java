package dev.cdioutbox.internal.capture;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.event.TransactionPhase;
import jakarta.enterprise.inject.spi.ObserverMethod;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.testing.CapturedEvents;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;

/** Guards which observers the extension installs in a container. */
class OutboxExtensionTest {

    @OutboxEvent
    public record Placed(String id) {}

    /** An earlier observer would register its synchronization before the flush that another observer causes. */
    @Test
    void observersBeforeCompletionAreLast() {
        Weld weld = new Weld()
                .disableDiscovery()
                .extensions(CapturedEvents.extensions())
                .addBeanClasses(Placed.class);
        try (WeldContainer container = weld.initialize()) {
            var observers = container
                    .getBeanManager()
                    .resolveObserverMethods(new Placed("o-1"), OutboxEvent.Literal.of("Placed"));

            assertThat(observers)
                    .filteredOn(ObserverMethod::getTransactionPhase, TransactionPhase.BEFORE_COMPLETION)
                    .as("the observer of the class, and the one of the qualifier")
                    .extracting(ObserverMethod::getPriority)
                    .containsExactly(CaptureObserver.LAST, CaptureObserver.LAST);
        }
    }
}
