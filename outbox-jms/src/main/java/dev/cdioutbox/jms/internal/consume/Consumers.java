package dev.cdioutbox.jms.internal.consume;

import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.observe.ConsumerListener;

/** Notifies listeners of received messages. No listener can break a consumer. */
@ApplicationScoped
public class Consumers {
    private static final Logger LOG = Logger.getLogger(Consumers.class.getName());

    @Inject
    @Any
    Instance<ConsumerListener> listeners;

    @Inject
    ConsumerExtension extension;

    void begin(@Observes @Initialized(ApplicationScoped.class) Object started) {
        extension.names().forEach(name -> notifyEach(listener -> listener.begins(name)));
    }

    void notifyEach(Consumer<ConsumerListener> news) {
        for (ConsumerListener listener : listeners) {
            try {
                news.accept(listener);
            } catch (RuntimeException e) {
                LOG.log(Level.FINE, "a listener failed", e);
            }
        }
    }
}
