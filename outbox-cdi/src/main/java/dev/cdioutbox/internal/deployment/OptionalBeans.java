package dev.cdioutbox.internal.deployment;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.enterprise.inject.AmbiguousResolutionException;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.spi.OutboxPublisher;

/** Finds optional beans of the application. */
public final class OptionalBeans {
    private OptionalBeans() {}

    /** @throws dev.cdioutbox.OutboxException OBX-0207 if there are several */
    public static <T> Optional<T> atMostOne(Instance<Object> beans, Class<T> type) {
        Instance<T> found = beans.select(type);
        if (found.isAmbiguous()) {
            throw ambiguous(type.getName(), found.handlesStream().map(Instance.Handle::getBean));
        }
        return found.isUnsatisfied() ? Optional.empty() : Optional.of(found.get());
    }

    /**
     * The publishers by their transports, which are their names. One without a name, such as an alternative that replaces
     * that of {@code outbox-jms}, sends by JMS.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0207 for several of one transport
     */
    public static Map<String, OutboxPublisher> publishers(BeanManager manager) {
        Map<String, Set<Bean<?>>> beans = manager.getBeans(OutboxPublisher.class).stream()
                .collect(Collectors.groupingBy(
                        bean -> Objects.requireNonNullElse(bean.getName(), DestinationConfig.JMS), Collectors.toSet()));
        Map<String, OutboxPublisher> publishers = new TreeMap<>();
        beans.forEach((transport, named) -> publishers.put(transport, publisher(manager, transport, named)));
        return publishers;
    }

    private static OutboxPublisher publisher(BeanManager manager, String transport, Set<Bean<?>> named) {
        try {
            Bean<?> bean = manager.resolve(named);
            return (OutboxPublisher)
                    manager.getReference(bean, OutboxPublisher.class, manager.createCreationalContext(bean));
        } catch (AmbiguousResolutionException several) {
            throw ambiguous(OutboxPublisher.class.getName() + " for " + transport, named.stream());
        }
    }

    private static OutboxException ambiguous(String type, Stream<? extends Bean<?>> beans) {
        return OutboxCode.AMBIGUOUS_BEANS.exception(
                type, beans.map(bean -> bean.getBeanClass().getName()).sorted().collect(Collectors.joining(", ")));
    }
}
