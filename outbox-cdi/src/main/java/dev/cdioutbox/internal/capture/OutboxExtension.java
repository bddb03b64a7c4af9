package dev.cdioutbox.internal.capture;

import javax.sql.DataSource;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.inject.spi.WithAnnotations;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.config.CaptureConfig.OutsideTransaction;
import dev.cdioutbox.internal.config.ConfigSource;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.JdbcOutboxStore;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxSerializer;

/** Installs the observers, and opens the outbox when the deployment is valid: what is wrong shows then, not later. */
public class OutboxExtension implements Extension {
    private final EventTypes types = new EventTypes();
    private final ConfigSource config = new ConfigSource();
    private OutboxStore store;
    private volatile Capture capture;

    /** Notes an event type, and takes it out again: an event is no bean. */
    <T> void discover(@Observes @WithAnnotations(OutboxEvent.class) ProcessAnnotatedType<T> found) {
        Class<T> type = found.getAnnotatedType().getJavaClass();
        if (type.isAnnotationPresent(OutboxEvent.class)) {
            types.register(type);
            found.veto();
        }
    }

    void install(@Observes AfterBeanDiscovery discovery) {
        // The immediate one sees every event there is, so that no type is lost because no one discovered it.
        discovery.addObserverMethod(CaptureObserver.immediate(this::note));
        discovery.addObserverMethod(CaptureObserver.async(event -> capture.refuseAsync(event)));
        for (EventType type : types.all()) {
            discovery.addObserverMethod(CaptureObserver.beforeCompletion(type.eventClass(), () -> capture.handOver()));
        }
        discovery.addBean().types(ConfigSource.class).scope(Singleton.class).createWith(context -> config);
        discovery.addBean().types(OutboxStore.class).scope(Singleton.class).createWith(context -> store);
        discovery.addBean().types(Capture.class).scope(Singleton.class).createWith(context -> capture);
    }

    void open(@Observes AfterDeploymentValidation valid, BeanManager beans) {
        OutboxConfig snapshot = config.load();
        MessageFactory factory = new MessageFactory(snapshot, serializer(beans.createInstance()));
        types.all().forEach(factory::destinations);
        DataSource dataSource =
                Services.lookUp(DataSource.class, snapshot.store().dataSource(), "outbox.datasource");
        store = JdbcOutboxStore.open(
                dataSource, snapshot.store(), snapshot.destinations().keySet());
        capture = new Capture(
                types,
                factory,
                Services.lookUp(
                        TransactionSynchronizationRegistry.class,
                        "java:comp/TransactionSynchronizationRegistry",
                        "none: the platform brings it"),
                store,
                ownTransaction(snapshot, beans.createInstance()));
    }

    private void note(Object event) {
        if (capture != null) {
            capture.note(event);
        } else if (types.of(event).isPresent()) {
            throw new IllegalStateException(
                    event.getClass().getName() + " was fired before the deployment was complete");
        }
    }

    private static OutboxSerializer serializer(Instance<Object> beans) {
        Instance<OutboxSerializer> own = beans.select(OutboxSerializer.class);
        return own.isUnsatisfied() ? new JsonbSerializer() : own.get();
    }

    private static Capture.OwnTransaction ownTransaction(OutboxConfig snapshot, Instance<Object> beans) {
        return snapshot.capture().outsideTransaction() == OutsideTransaction.OWN_TRANSACTION
                ? beans.select(OwnTransactionBean.class).get()
                : null;
    }
}
