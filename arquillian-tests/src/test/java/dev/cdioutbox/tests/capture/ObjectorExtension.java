package dev.cdioutbox.tests.capture;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.Extension;

/** An extension of the application with an observer that would like to be the last. */
public class ObjectorExtension implements Extension {

    void install(@Observes AfterBeanDiscovery discovery) {
        discovery
                .<Noted>addObserverMethod()
                .observedType(Noted.class)
                .priority(Integer.MAX_VALUE)
                .notifyWith(fired -> Objector.refuse(fired.getEvent(), Objector.SYNTHETIC));
    }
}
