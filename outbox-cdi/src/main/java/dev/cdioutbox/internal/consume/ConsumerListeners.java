package dev.cdioutbox.internal.consume;

import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

/** Who is told of consumers. No listener can break a consumer. */
@ApplicationScoped
public class ConsumerListeners {
    private static final Logger LOG = Logger.getLogger(ConsumerListeners.class.getName());

    @Inject
    @Any
    Instance<ConsumerListener> all;

    public void tell(Consumer<ConsumerListener> news) {
        for (ConsumerListener listener : all) {
            try {
                news.accept(listener);
            } catch (RuntimeException e) {
                LOG.log(Level.FINE, "a listener failed", e);
            }
        }
    }
}
