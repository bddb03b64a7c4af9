package dev.cdioutbox.tests.deployment;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessObserverMethod;

/** Wants to have no observers of others. */
public class ObserversVetoed implements Extension {

    void veto(@Observes ProcessObserverMethod<?, ?> found) {
        found.veto();
    }
}
