package dev.cdioutbox.internal.capture;

import java.lang.annotation.Annotation;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.event.EventTypes;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;

/** All outboxes of the application, the default one first. Passes each fired event to its outbox. Thread-safe. */
public final class Outboxes {
    private static final Logger LOG = Logger.getLogger(Outboxes.class.getName());

    private final Map<String, OpenOutbox> byName;
    private final EventTypes types;
    private final TransactionSynchronizationRegistry registry;
    private final RefusalLog refusals = new RefusalLog();
    private final List<Finding> findings = new CopyOnWriteArrayList<>();

    /** For tests that fire no event. */
    public Outboxes(List<OpenOutbox> outboxes) {
        this(outboxes, new EventTypes(), null);
    }

    Outboxes(List<OpenOutbox> outboxes, EventTypes types, TransactionSynchronizationRegistry registry) {
        Map<String, OpenOutbox> named = new LinkedHashMap<>();
        outboxes.forEach(outbox -> named.put(outbox.name(), outbox));
        byName = Collections.unmodifiableMap(named);
        this.types = types;
        this.registry = registry;
    }

    /** Adds the messages of an outbox event to the current transaction; ignores other events. */
    void capture(Object event, Set<Annotation> qualifiers) {
        try {
            typeOf(event, qualifiers)
                    .ifPresent(type -> byName.get(type.outbox()).capture().capture(type, event));
        } catch (RuntimeException e) {
            types.forget(event, qualifiers);
            if (registry.getTransactionStatus() != Status.STATUS_MARKED_ROLLBACK) {
                refusals.report(event, e);
            }
            throw e;
        }
    }

    /** A type may prove invalid at its first {@code fire()}; then the transaction must not commit without the event. */
    private Optional<EventType> typeOf(Object event, Set<Annotation> qualifiers) {
        try {
            Optional<EventType> type = types.of(event, qualifiers);
            type.ifPresent(found -> found.requireOneOf(names()));
            return type;
        } catch (RuntimeException e) {
            if (registry.getTransactionStatus() == Status.STATUS_ACTIVE) {
                registry.setRollbackOnly();
            }
            throw e;
        }
    }

    /** The transaction of an outbox event is about to complete. */
    void handOver() {
        all().forEach(outbox -> outbox.capture().handOver());
    }

    /** Logs what is wrong with the deployment, and keeps it for the doctor: it stays so as long as the application runs. */
    public void report(Finding finding) {
        LOG.warning(finding.toString());
        findings.add(finding);
    }

    /** What is wrong with the deployment. */
    public List<Finding> findings() {
        return findings;
    }

    /** The default outbox. */
    public OpenOutbox standard() {
        return byName.get(OutboxConfig.DEFAULT_OUTBOX);
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

    /** The names of the event types found so far: at deployment, or at their first {@code fire()}. */
    public Set<String> eventTypes() {
        return types.all().stream().map(EventType::name).collect(Collectors.toSet());
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
        return outbox == null ? null : outbox.config().current().destinations().get(name(label));
    }

    /** The name of a destination within its outbox. */
    public static String name(String label) {
        return label.substring(label.indexOf('/') + 1);
    }

    /** The outbox of a destination. */
    public OpenOutbox of(String label) {
        int end = label.indexOf('/');
        return end < 0 ? standard() : get(label.substring(0, end));
    }
}
