package dev.cdioutbox.internal.outbox;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.logging.Logger;

import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.spi.DestinationId;

/** All outboxes of the application, the default one first. Thread-safe. */
public final class Outboxes {
    private static final Logger LOG = Logger.getLogger(Outboxes.class.getName());

    private final Map<String, OutboxInstance> byName;
    private final TransactionSynchronizationRegistry transactions;
    private final Supplier<Set<String>> eventTypes;
    private final List<Finding> findings = new CopyOnWriteArrayList<>();

    /** For tests that fire no event. */
    public Outboxes(List<OutboxInstance> outboxes) {
        this(outboxes, null, Set::of);
    }

    /** @param eventTypes supplies the names of the event types found so far */
    public Outboxes(
            List<OutboxInstance> outboxes,
            TransactionSynchronizationRegistry transactions,
            Supplier<Set<String>> eventTypes) {
        Map<String, OutboxInstance> named = new LinkedHashMap<>();
        outboxes.forEach(outbox -> named.put(outbox.name(), outbox));
        byName = Collections.unmodifiableMap(named);
        this.transactions = transactions;
        this.eventTypes = eventTypes;
    }

    /** The registry that was looked up at deployment: unmanaged threads cannot look up JNDI names. */
    public TransactionSynchronizationRegistry transactions() {
        return transactions;
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
    public OutboxInstance standard() {
        return byName.get(OutboxConfig.DEFAULT_OUTBOX);
    }

    /** The outbox that an annotation names; null if there is none of that name. */
    public OutboxInstance meant(String nameOrEmpty) {
        return nameOrEmpty.isEmpty() ? standard() : get(nameOrEmpty);
    }

    /** The outbox of this name, or null. */
    public OutboxInstance get(String name) {
        return byName.get(name);
    }

    public Set<String> names() {
        return byName.keySet();
    }

    public Collection<OutboxInstance> all() {
        return byName.values();
    }

    /** The names of the event types found so far: at deployment, or at their first {@code fire()}. */
    public Set<String> eventTypes() {
        return eventTypes.get();
    }

    /** The destinations of all outboxes. */
    public List<DestinationId> destinations() {
        return all().stream()
                .flatMap(outbox -> outbox.config().current().destinations().keySet().stream()
                        .map(outbox::destinationId))
                .toList();
    }

    /** The current configuration of a destination, or null. */
    public DestinationConfig destination(DestinationId id) {
        OutboxInstance outbox = get(id.outbox());
        return outbox == null ? null : outbox.config().current().destinations().get(id.name());
    }

    /** The current configuration of the destination's outbox, which must be configured, with the destination's own settings. */
    public OutboxConfig settingsOf(DestinationId destination) {
        return get(destination.outbox()).config().current().of(destination.name());
    }
}
