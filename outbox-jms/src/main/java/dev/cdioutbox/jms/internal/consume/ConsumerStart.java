package dev.cdioutbox.jms.internal.consume;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;

import dev.cdioutbox.internal.consume.ConsumerListeners;

/**
 * Tells which consumers there are when the application starts. The extension cannot do so: on GlassFish and Payara, it sees no bean
 * of another jar.
 */
@ApplicationScoped
class ConsumerStart {
    void begin(
            @Observes @Initialized(ApplicationScoped.class) Object started,
            ConsumerExtension consumers,
            ConsumerListeners listeners) {
        consumers.names().forEach(name -> listeners.tell(listener -> listener.begins(name)));
    }
}
