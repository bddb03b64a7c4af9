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
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.ConfigKey;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.transport.DeploymentFindings;
import dev.cdioutbox.internal.transport.DestinationSettings;
import dev.cdioutbox.internal.transport.Destinations;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/** All outboxes of the application, the default one first. Thread-safe. */
public final class Outboxes implements Destinations, DeploymentFindings {
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

    @Override
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

    @Override
    public DestinationSettings settings(DestinationId id) throws PublishException {
        DestinationConfig destination = destination(id);
        if (destination == null) {
            throw new PublishException(Blame.DESTINATION, OutboxCode.NOT_CONFIGURED.text(id), null);
        }
        OutboxConfig config = settingsOf(id);
        return new DestinationSettings(
                destination,
                config.jms(),
                config.dispatcher().delivery() == Guarantee.EXACTLY_ONCE,
                config.messagingLimit(id.name()),
                Math.min(config.capture().maxPayloadBytes(), config.dispatcher().batchMaxBytes()));
    }

    @Override
    public String jndiKey(DestinationId destination) {
        return ConfigKey.JNDI.of(destination);
    }

    /** The current configuration of the destination's outbox, which must be configured, with the destination's own settings. */
    public OutboxConfig settingsOf(DestinationId destination) {
        return get(destination.outbox()).config().current().of(destination.name());
    }
}
