package dev.cdioutbox.tests.capture;

import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.Extension;

import dev.cdioutbox.OutboxException;

/** An extension that fires an event before the outbox is open, and adds an observer with a very high priority. */
public class ObjectorExtension implements Extension {

    private static volatile OutboxException refusal;

    /** The exception that the early event caused. */
    static OutboxException refusal() {
        return refusal;
    }

    void fire(@Observes @Priority(1) AfterDeploymentValidation valid, BeanManager beans) {
        try {
            beans.getEvent().fire(new Noted("nobody", "too early"));
        } catch (OutboxException tooEarly) {
            refusal = tooEarly;
        }
    }

    void install(@Observes AfterBeanDiscovery discovery) {
        discovery
                .<Noted>addObserverMethod()
                .observedType(Noted.class)
                .priority((1 << 30) - 2)
                .notifyWith(fired -> Objector.refuse(fired.getEvent(), Objector.SYNTHETIC));
    }
}
