package dev.cdioutbox.tests.capture;

import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.Extension;

import dev.cdioutbox.OutboxException;

/** An extension of the application that is in the way: too early, and with an observer that would like to be the last. */
public class ObjectorExtension implements Extension {

    private static volatile OutboxException refusal;

    /** What was said to the event that it fired before there was an outbox. */
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
                .priority(Integer.MAX_VALUE)
                .notifyWith(fired -> Objector.refuse(fired.getEvent(), Objector.SYNTHETIC));
    }
}
