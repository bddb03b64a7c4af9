package dev.cdioutbox.internal.capture;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.JmsConfig;
import dev.cdioutbox.internal.config.OutboxKeys;

/** All outboxes of the application, the default one first. Immutable. */
public final class Outboxes {
    private final Map<String, OpenOutbox> byName;
    private final Set<String> eventTypes;

    /** For tests, without event types. */
    public Outboxes(List<OpenOutbox> outboxes) {
        this(outboxes, Set.of());
    }

    /** @param eventTypes the names of the event types found at deployment */
    Outboxes(List<OpenOutbox> outboxes, Set<String> eventTypes) {
        this.eventTypes = Set.copyOf(eventTypes);
        Map<String, OpenOutbox> named = new LinkedHashMap<>();
        outboxes.forEach(outbox -> named.put(outbox.name(), outbox));
        byName = Collections.unmodifiableMap(named);
    }

    /** The default outbox. */
    public OpenOutbox standard() {
        return byName.get(OutboxKeys.DEFAULT_OUTBOX);
    }

    /** The outbox that an annotation names; null if there is none of that name. */
    public OpenOutbox meant(String nameOrEmpty) {
        return nameOrEmpty.isEmpty() ? standard() : get(nameOrEmpty);
    }

    /** The outbox of this name, or null. */
    public OpenOutbox get(String name) {
        return byName.get(name);
    }

    public Set<String> names() {
        return byName.keySet();
    }

    public Collection<OpenOutbox> all() {
        return byName.values();
    }

    /** The names of the event types found at deployment. The outbox finds others at their first {@code fire()}. */
    public Set<String> eventTypes() {
        return eventTypes;
    }

    /** The labels of the destinations of all outboxes. */
    public List<String> labels() {
        return all().stream()
                .flatMap(outbox -> outbox.config().current().destinations().keySet().stream()
                        .map(outbox::label))
                .toList();
    }

    /** The current configuration of a destination, or null. */
    public DestinationConfig destination(String label) {
        OpenOutbox outbox = of(label);
        return outbox == null
                ? null
                : outbox.config().current().destinations().get(label.substring(label.indexOf('/') + 1));
    }

    /** The current JMS settings of a destination. */
    public JmsConfig jms(String label) {
        return of(label).config().current().jms();
    }

    /** The current delivery guarantee of a destination. */
    public Guarantee delivery(String label) {
        return of(label).config().current().dispatcher().delivery();
    }

    private OpenOutbox of(String label) {
        int end = label.indexOf('/');
        return end < 0 ? standard() : get(label.substring(0, end));
    }
}
