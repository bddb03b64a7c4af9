package dev.cdioutbox.internal.handle;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessBean;
import jakarta.enterprise.inject.spi.ProcessManagedBean;
import jakarta.enterprise.inject.spi.ProcessSessionBean;

import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.consume.ConsumerRules;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.transport.Traces;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Finds the handlers at deployment, and refuses those that could not keep the promise. If there are any, adds the publisher that
 * calls them: without one, an application without a transport only captures.
 */
public class HandlerExtension implements Extension {
    private final Queue<HandlerMethod> found = new ConcurrentLinkedQueue<>();
    private final Queue<Bean<?>> requestScoped = new ConcurrentLinkedQueue<>();
    private volatile Handlers handlers = new Handlers(List.of(), (one, other) -> {});

    <T> void find(@Observes ProcessManagedBean<T> bean) {
        // The event of an EJB is one of these, too.
        if (!(bean instanceof ProcessSessionBean<?>)) {
            add(bean.getBean(), false);
        }
    }

    <T> void find(@Observes ProcessSessionBean<T> bean) {
        add(bean.getBean(), true);
    }

    private void add(Bean<?> bean, boolean isEnterpriseBean) {
        methods(bean.getBeanClass())
                .filter(method -> method.isAnnotationPresent(OutboxHandler.class))
                .map(method ->
                        new HandlerMethod(bean, isEnterpriseBean, method, method.getAnnotation(OutboxHandler.class)))
                .forEach(found::add);
    }

    private static Stream<Method> methods(Class<?> bean) {
        return Stream.concat(ofClasses(bean), ofInterfaces(bean));
    }

    /** Also those that the class implements: whoever annotates them expects calls. */
    private static Stream<Method> ofInterfaces(Class<?> type) {
        return type == null
                ? Stream.empty()
                : Stream.of(
                                Arrays.stream(type.getInterfaces())
                                        .flatMap(each -> Arrays.stream(each.getDeclaredMethods())),
                                Arrays.stream(type.getInterfaces()).flatMap(HandlerExtension::ofInterfaces),
                                ofInterfaces(type.getSuperclass()))
                        .flatMap(Function.identity())
                        .distinct();
    }

    /** The methods of a class and its superclasses, without overridden and synthetic ones. */
    private static Stream<Method> ofClasses(Class<?> bean) {
        Map<List<Object>, Method> methods = new LinkedHashMap<>();
        for (Class<?> type = bean; type != null && type != Object.class; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (!method.isSynthetic()) {
                    methods.putIfAbsent(List.of(method.getName(), List.of(method.getParameterTypes())), method);
                }
            }
        }
        return methods.values().stream();
    }

    <T> void findRequestScoped(@Observes ProcessBean<T> bean) {
        if (bean.getBean().getScope() == RequestScoped.class) {
            requestScoped.add(bean.getBean());
        }
    }

    void install(@Observes AfterBeanDiscovery discovery) {
        List<HandlerMethod> sound = new ArrayList<>();
        for (HandlerMethod handler : found) {
            List<String> problems = HandlerCheck.problems(handler);
            problems.forEach(
                    problem -> discovery.addDefinitionError(OutboxCode.HANDLER_REFUSED.exception(handler, problem)));
            if (problems.isEmpty()) {
                sound.add(handler);
            }
        }
        handlers = new Handlers(
                sound,
                (one, other) -> discovery.addDefinitionError(
                        OutboxCode.HANDLER_NAMED_TWICE.exception(one.name(), one.outbox(), one + ", " + other)));
        if (!sound.isEmpty()) {
            discovery
                    .<LocalPublisher>addBean()
                    .id(LocalPublisher.class.getName() + UUID.randomUUID())
                    .types(OutboxPublisher.class)
                    .name(DestinationConfig.LOCAL)
                    // Made at the first call: the deployment looks at the publishers before there is an outbox.
                    .scope(ApplicationScoped.class)
                    .produceWith(this::publisher);
        }
    }

    /** CDI looks at what is injected somewhere only. A handler often is not, and would fail at each message. */
    void requireProxies(@Observes AfterDeploymentValidation validation, BeanManager manager) {
        handlers.all()
                .filter(handler -> manager.isNormalScope(handler.bean().getScope()))
                .forEach(handler -> {
                    try {
                        HandlerCall.reference(manager, handler, manager.createCreationalContext(handler.bean()));
                    } catch (RuntimeException e) {
                        validation.addDeploymentProblem(
                                OutboxCode.HANDLER_REFUSED.exception(e, handler, FailureReason.of(e)));
                    }
                });
    }

    /**
     * Refuses the handlers of outboxes that are not configured.
     *
     * @param outboxes the names of the configured ones
     * @throws dev.cdioutbox.OutboxException OBX-0130
     */
    public void requireOutboxes(Set<String> outboxes) {
        handlers.all()
                .filter(handler -> !outboxes.contains(handler.outbox()))
                .findFirst()
                .ifPresent(handler -> {
                    throw OutboxCode.HANDLER_REFUSED.exception(
                            handler, ConsumerRules.outboxProblem(handler.outbox(), outboxes));
                });
    }

    Handlers handlers() {
        return handlers;
    }

    private LocalPublisher publisher(Instance<Object> beans) {
        HandlerCall call = call(
                beans.select(BeanManager.class).get(),
                beans.select(Traces.class).get());
        return new LocalPublisher(
                handlers, call, beans.select(Outboxes.class).get().transactions());
    }

    HandlerCall call(BeanManager manager, Traces traces) {
        return new HandlerCall(manager, traces, new RequestScope(manager, List.copyOf(requestScoped)));
    }

    /** The event types of the handlers of an outbox, by the names of their destinations. */
    public Map<String, List<String>> types(String outbox) {
        return handlers.types(outbox);
    }
}
