package dev.cdioutbox.internal.capture;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.internal.capture.event.EventTypes;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.deployment.ModuleName;
import dev.cdioutbox.internal.deployment.PlatformServices;
import dev.cdioutbox.internal.deployment.UserTransactions;
import dev.cdioutbox.internal.outbox.Outboxes;

/**
 * Captures events in a plain JVM: the real deployment, with a list of objects in place of the CDI container. The
 * application calls {@link #fire} and {@link #beforeCompletion}, as CDI would call the observers.
 */
public final class PlainCapture {
    private final OutboxDeployment deployment;

    private PlainCapture(OutboxDeployment deployment) {
        this.deployment = deployment;
    }

    /**
     * Reads the configuration, opens the store and checks the DataSource, as a deployment does.
     *
     * @param eventTypes classes with {@code @OutboxEvent}
     * @param beans serializers and enrichers of the application
     * @param handlers the event types of each handler by its name
     */
    public static PlainCapture open(List<Class<?>> eventTypes, List<Object> beans, Map<String, List<String>> handlers) {
        EventTypes types = new EventTypes();
        eventTypes.forEach(types::register);
        return new PlainCapture(OutboxDeployment.of(
                types, CurrentConfig.loadAll(ModuleName.UNKNOWN, outbox -> handlers), manager(beans)));
    }

    public Outboxes outboxes() {
        return deployment.outboxes();
    }

    /** Captures an event in the transaction of the calling thread. */
    public void fire(Object event) {
        deployment.router().capture(event, Set.of());
    }

    /** The application calls this method last, right before the commit. */
    public void beforeCompletion() {
        deployment.router().writeAfterFlush();
    }

    private static BeanManager manager(List<?> beans) {
        return proxy(BeanManager.class, (name, arguments) -> switch (name) {
            case "createInstance" -> instance(beans);
            case "getBeans" -> Set.of();
            default -> throw new UnsupportedOperationException(name);
        });
    }

    private static Instance<?> instance(List<?> beans) {
        return proxy(Instance.class, (name, arguments) -> switch (name) {
            case "select" ->
                arguments[0] == OwnTransactionBean.class
                        ? instance(List.of(new PlainTransactions()))
                        : select(beans, arguments);
            case "get" -> beans.get(0);
            case "isUnsatisfied" -> beans.isEmpty();
            case "isResolvable" -> beans.size() == 1;
            case "isAmbiguous" -> beans.size() > 1;
            case "handlesStream" -> handles(beans);
            case "stream" -> beans.stream();
            case "iterator" -> beans.iterator();
            default -> throw new UnsupportedOperationException(name);
        });
    }

    private static Instance<?> select(List<?> beans, Object... arguments) {
        return arguments[0] instanceof Class<?> type
                ? instance(beans.stream().filter(type::isInstance).toList())
                : instance(beans);
    }

    private static Stream<?> handles(List<?> beans) {
        return beans.stream()
                .map(bean -> proxy(Instance.Handle.class, (name, arguments) -> switch (name) {
                    case "get" -> bean;
                    case "getBean" ->
                        proxy(Bean.class, (method, none) -> {
                            if (method.equals("getBeanClass")) {
                                return bean.getClass();
                            }
                            throw new UnsupportedOperationException(method);
                        });
                    default -> throw new UnsupportedOperationException(name);
                }));
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                PlainCapture.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer.to(method.getName(), arguments)));
    }

    /** What the container's interceptor does. */
    private static final class PlainTransactions extends OwnTransactionBean {
        @Override
        public void runInNew(Runnable work) {
            new UserTransactions(PlatformServices.platform(UserTransaction.class)).accept(work);
        }
    }

    private interface Answer {
        Object to(String method, Object... arguments);
    }
}
