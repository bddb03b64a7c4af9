package dev.cdioutbox.internal.consume;

import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;

/** Who is told of consumers. No listener can break a consumer, whose work would be rolled back. */
@ApplicationScoped
public class ConsumerListeners {
    private static final Logger LOG = Logger.getLogger(ConsumerListeners.class.getName());

    @Inject
    @Any
    Instance<ConsumerListener> all;

    public void tell(Consumer<ConsumerListener> news) {
        for (Instance.Handle<ConsumerListener> listener : all.handles()) {
            try {
                news.accept(listener.get());
            } catch (RuntimeException | Error e) {
                String name = listener.getBean().getBeanClass().getName();
                LOG.log(Level.WARNING, OutboxCode.LISTENER_FAILED.text(name, FailureReason.of(e)), e);
            }
        }
    }
}
