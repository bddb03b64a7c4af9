package dev.cdioutbox.tests.deployment;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessObserverMethod;

/** Vetoes all observers, including the outbox's. */
public class ObserversVetoed implements Extension {

    void veto(@Observes ProcessObserverMethod<?, ?> found) {
        found.veto();
    }
}
