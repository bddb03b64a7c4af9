package dev.cdioutbox.internal.handle;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.spi.BeanManager;

import dev.cdioutbox.HandlerException;
import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.ReceivedEvent;
import dev.cdioutbox.internal.capture.FakeRegistry;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.testing.PublisherContract;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.AfterEach;

/** A handler keeps the promises of a publisher, as far as its work belongs to the transaction. */
class LocalPublisherContractTest extends PublisherContract {
    private static final String REFUSED = "refused";

    private final WeldContainer container = new Weld()
            .disableDiscovery()
            .extensions(new HandlerExtension())
            .addBeanClasses(Work.class)
            .initialize();
    private final Work work = container.select(Work.class).get();
    private final LocalPublisher publisher = publisher(container.getBeanManager());

    /** Its work is that of the thread's transaction until the commit. */
    @ApplicationScoped
    static class Work {
        private final ThreadLocal<List<Received>> uncommitted = ThreadLocal.withInitial(ArrayList::new);
        private final List<Received> committed = new ArrayList<>();

        @OutboxHandler(value = "contract", types = "*")
        void handle(ReceivedEvent event, OutboxMessage message) throws HandlerException {
            if (!message.body().payload().isBinary() && event.text().equals(REFUSED)) {
                throw HandlerException.doNotRetry("refused", null);
            }
            uncommitted
                    .get()
                    .add(Received.of(
                            UUID.fromString(event.id()), message.body().payload(), event.key(), event.headers()));
        }

        void commit() {
            synchronized (committed) {
                committed.addAll(uncommitted.get());
            }
            uncommitted.remove();
        }

        void rollback() {
            uncommitted.remove();
        }

        List<Received> take() {
            synchronized (committed) {
                List<Received> taken = List.copyOf(committed);
                committed.clear();
                return taken;
            }
        }
    }

    private static LocalPublisher publisher(BeanManager manager) {
        HandlerExtension extension = manager.getExtension(HandlerExtension.class);
        return new LocalPublisher(
                extension.handlers(), extension.call(manager, new UnitTestHandlers.NoTraces()), new FakeRegistry());
    }

    @AfterEach
    void close() {
        container.close();
    }

    @Override
    protected OutboxPublisher publisher() {
        return publisher;
    }

    @Override
    protected DestinationId destination() {
        return DestinationId.ofDefaultOutbox("contract");
    }

    @Override
    protected DestinationId absentDestination() {
        return DestinationId.ofDefaultOutbox("absent");
    }

    @Override
    protected List<Received> receiveUntil(UUID last) {
        return work.take();
    }

    @Override
    protected OutboxMessage refused(OutboxMessage message) {
        return withText(message, REFUSED);
    }

    @Override
    protected void begin() {
        // What a thread has handled begins its transaction.
    }

    @Override
    protected void commit() {
        work.commit();
    }

    @Override
    protected void rollback() {
        work.rollback();
    }
}
