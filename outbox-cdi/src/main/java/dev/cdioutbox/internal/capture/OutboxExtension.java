package dev.cdioutbox.internal.capture;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.annotation.Priority;
import jakarta.annotation.Resource;
import jakarta.annotation.Resources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.inject.spi.ProcessInjectionPoint;
import jakarta.enterprise.inject.spi.ProcessSessionBean;
import jakarta.enterprise.inject.spi.WithAnnotations;
import jakarta.enterprise.inject.spi.configurator.ObserverMethodConfigurator;
import jakarta.inject.Singleton;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.capture.event.EventTypes;
import dev.cdioutbox.internal.capture.message.MessageFactories;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.SameVersion;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.deployment.DeployedParts;
import dev.cdioutbox.internal.deployment.ModuleName;
import dev.cdioutbox.internal.deployment.OptionalBeans;
import dev.cdioutbox.internal.deployment.PlatformServices;
import dev.cdioutbox.internal.deployment.UnshareableReferences;
import dev.cdioutbox.internal.handle.HandlerExtension;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.transport.DeploymentFindings;
import dev.cdioutbox.internal.transport.Destinations;

/**
 * Installs the observers, and opens the outboxes when the deployment is valid, so that problems fail the deployment. The container
 * calls the methods in their order.
 */
public class OutboxExtension implements Extension {
    private static final int FIRST = 1;

    /** By its name: the class needs the EJB feature. */
    private static final String DISPATCHERS = "dev.cdioutbox.internal.ejb.Dispatchers";

    private final EventTypes types = new EventTypes();
    private final RefusalLog refusals = new RefusalLog();
    private final Queue<String> unshareable = new ConcurrentLinkedQueue<>();
    private volatile boolean hasDispatchers;
    /** Null before the deployment is valid, and in a unit test. */
    private volatile OutboxDeployment deployment;

    private volatile FiredEvents firedEvents = this::refuseTooEarly;

    /** Comes first, before code of this jar calls the other jars. */
    void check(@Observes @Priority(FIRST) BeforeBeanDiscovery discovery) {
        SameVersion.require("outbox-api", OutboxEvent.class);
        SameVersion.require("outbox-cdi", OutboxExtension.class);
    }

    /** Vetoes the class: an event is no bean. */
    <T> void registerClass(@Observes @WithAnnotations(OutboxEvent.class) ProcessAnnotatedType<T> found) {
        Class<T> type = found.getAnnotatedType().getJavaClass();
        if (type.isAnnotationPresent(OutboxEvent.class)) {
            types.register(type);
            found.veto();
        }
    }

    /** Remembers references to a DataSource whose connection is not the outbox's. */
    <T> void findReferences(
            @Observes @WithAnnotations({Resource.class, Resources.class}) ProcessAnnotatedType<T> found) {
        UnshareableReferences.of(found.getAnnotatedType().getJavaClass()).forEach(unshareable::add);
    }

    void registerInjectionPoint(@Observes ProcessInjectionPoint<?, ?> found) {
        types.register(found.getInjectionPoint());
    }

    /** GlassFish shows no session bean to a BeanManager. An EAR may have other modules with a bean of this name. */
    <T> void findDispatchers(@Observes ProcessSessionBean<T> found) {
        Class<?> type = found.getBean().getBeanClass();
        if (type.getName().equals(DISPATCHERS) && type.getClassLoader() == OutboxExtension.class.getClassLoader()) {
            hasDispatchers = true;
        }
    }

    void install(@Observes AfterBeanDiscovery discovery) {
        // The immediate observer receives every event, so that events of undiscovered types are captured too.
        discovery.addObserverMethod(new CaptureObserver(false, this::capture));
        discovery.addObserverMethod(new CaptureObserver(true, this::refuseAsync));
        beforeCompletion(discovery, Object.class).addQualifier(OutboxEvent.Literal.of(""));
        types.all().forEach(type -> beforeCompletion(discovery, type.eventClass()));
        add(discovery, Outboxes.class, () -> deployment.outboxes(), Destinations.class, DeploymentFindings.class);
        // The default outbox's, for applications with one outbox.
        add(
                discovery,
                CurrentConfig.class,
                () -> deployment.outboxes().standard().config());
    }

    /**
     * Observes the events of a type when their transaction is about to complete. The observer is the last one, so that
     * the synchronization that it registers runs after the flush that another observer causes.
     */
    private ObserverMethodConfigurator<Object> beforeCompletion(AfterBeanDiscovery discovery, Class<?> observed) {
        return discovery
                .addObserverMethod()
                .observedType(observed)
                .transactionPhase(TransactionPhase.BEFORE_COMPLETION)
                .priority(CaptureObserver.LAST)
                .notifyWith(event -> writeAfterFlush());
    }

    /**
     * Sets a unique id: with the default id, CDI confused the singletons of two WARs in one EAR.
     *
     * @param edges the interfaces under which others see the bean
     */
    private static <T> void add(AfterBeanDiscovery discovery, Class<T> type, Supplier<T> instance, Type... edges) {
        discovery
                .<T>addBean()
                .id(type.getName() + UUID.randomUUID())
                .types(type)
                .addTypes(edges)
                .scope(Singleton.class)
                .createWith(context -> instance.get());
    }

    void open(@Observes AfterDeploymentValidation valid, BeanManager beans) {
        CaptureObserver.assertInPlace(beans);
        unitTest(beans).ifPresentOrElse(kit -> captureInUnitTest(kit, beans), () -> openOutboxes(beans));
    }

    private static Optional<UnitTestCapture> unitTest(BeanManager beans) {
        return PlatformServices.areNamed()
                ? Optional.empty()
                : OptionalBeans.atMostOne(beans.createInstance(), UnitTestCapture.class);
    }

    private void captureInUnitTest(UnitTestCapture kit, BeanManager beans) {
        kit.begin(MessageFactories.of(beans.createInstance(), kit::defaultSerializer)::factory, handlers(beans));
        firedEvents = (event, qualifiers) -> types.of(event, qualifiers).ifPresent(type -> kit.capture(type, event));
    }

    private void openOutboxes(BeanManager beans) {
        Map<String, CurrentConfig> configurations = CurrentConfig.loadAll(ModuleName.find(), handlers(beans));
        beans.getExtension(HandlerExtension.class).requireOutboxes(configurations.keySet());
        DeployedParts.reportMissingConsole(configurations.values());
        BeanManager visible = visible(beans);
        DeployedParts.find(visible, hasDispatchers).requireDispatchers(configurations.values());
        deployment = OutboxDeployment.of(types, configurations, visible);
        firedEvents = deployment.router();
        deployment.reportUnshareable(unshareable.stream());
    }

    /** For the name of an outbox, the event types of each handler by its name. */
    private static Function<String, Map<String, List<String>>> handlers(BeanManager beans) {
        return beans.getExtension(HandlerExtension.class)::types;
    }

    /**
     * GlassFish gives an extension a BeanManager that sees no bean of the application. Not CDI.current(), which at some
     * starts of Payara finds the extension in two archives (WELD-001327).
     */
    private static BeanManager visible(BeanManager beans) {
        return beans.getBeans(OwnTransactionBean.class).isEmpty()
                ? PlatformServices.platform(BeanManager.class)
                : beans;
    }

    /** Runs on a thread that belongs to a component of the application, unlike {@link #open}. */
    void start(@Observes @Initialized(ApplicationScoped.class) Object application) {
        if (deployment != null) {
            deployment.validator().prepare();
            deployment.reportUnshareable(UnshareableReferences.ofWebXml(application));
        }
    }

    private void capture(EventContext<Object> fired) {
        firedEvents.capture(fired.getEvent(), fired.getMetadata().getQualifiers());
    }

    private void writeAfterFlush() {
        firedEvents.writeAfterFlush();
    }

    private void refuseTooEarly(Object event, Set<Annotation> qualifiers) {
        refuse(event, qualifiers, OutboxCode.FIRED_TOO_EARLY);
    }

    private void refuseAsync(EventContext<Object> fired) {
        refuse(fired.getEvent(), fired.getMetadata().getQualifiers(), OutboxCode.FIRED_ASYNC);
    }

    /** Leaves an event alone that is none of the outbox. */
    private void refuse(Object event, Set<Annotation> qualifiers, OutboxCode problem) {
        if (types.of(event, qualifiers).isPresent()) {
            RuntimeException refusal = problem.exception(event.getClass().getName());
            refusals.report(event, refusal);
            throw refusal;
        }
    }
}
