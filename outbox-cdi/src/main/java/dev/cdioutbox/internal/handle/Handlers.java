package dev.cdioutbox.internal.handle;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.spi.DestinationId;

/** The handlers of the application, by their outboxes and names. Thread-safe, once it is filled. */
final class Handlers {
    private final Map<String, Map<String, HandlerMethod>> byOutbox = new HashMap<>();

    /**
     * @param methods those without problems
     * @param sameName is told of several methods with one name
     */
    Handlers(Collection<HandlerMethod> methods, BiConsumer<HandlerMethod, HandlerMethod> sameName) {
        methods.forEach(method -> {
            HandlerMethod other = byOutbox.computeIfAbsent(method.outbox(), outbox -> new TreeMap<>())
                    .putIfAbsent(method.name(), method);
            if (other != null) {
                sameName.accept(other, method);
            }
        });
    }

    Stream<HandlerMethod> all() {
        return byOutbox.values().stream().flatMap(handlers -> handlers.values().stream());
    }

    Optional<HandlerMethod> find(DestinationId destination) {
        return find(destination.outbox(), destination.name());
    }

    Optional<HandlerMethod> find(String outbox, String name) {
        return Optional.ofNullable(ofOutbox(outbox).get(name));
    }

    /** The event types of the handlers of an outbox, by their names. */
    Map<String, List<String>> types(String outbox) {
        return ofOutbox(outbox).entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, handler -> handler.getValue().types()));
    }

    private Map<String, HandlerMethod> ofOutbox(String outbox) {
        return byOutbox.getOrDefault(outbox, Map.of());
    }
}
