package dev.cdioutbox.internal.capture;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.event.EventTypes;
import dev.cdioutbox.internal.capture.event.EventValidation;
import dev.cdioutbox.internal.capture.message.MessageFactories;
import dev.cdioutbox.internal.capture.message.MessageFactory;
import dev.cdioutbox.internal.capture.message.Telemetry;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.Spelling;
import dev.cdioutbox.internal.deployment.OutboxOpening;
import dev.cdioutbox.internal.deployment.PersistenceUnits;
import dev.cdioutbox.internal.deployment.PlatformServices;
import dev.cdioutbox.internal.deployment.UnshareableReferences;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;

/**
 * What the application has deployed: its outboxes, and the way of its events into them. {@link #of} says in which order a
 * deployment is put together and checked.
 */
record OutboxDeployment(Outboxes outboxes, EventRouter router, EventValidation validator) {

    /**
     * @param configurations the loaded configurations by the outboxes' names, the default one first
     * @throws dev.cdioutbox.OutboxException OBX-0112, OBX-02xx or OBX-03xx for a problem of the deployment
     */
    static OutboxDeployment of(EventTypes types, Map<String, CurrentConfig> configurations, BeanManager manager) {
        Instance<Object> beans = manager.createInstance();
        TransactionSynchronizationRegistry registry =
                PlatformServices.platform(TransactionSynchronizationRegistry.class);
        MessageFactories shared = MessageFactories.of(beans, registry);
        Map<String, MessageFactory> factories = factories(shared, configurations);
        requireDestinations(types, factories);
        OwnTransactionBean transactions = beans.select(OwnTransactionBean.class).get();
        Outboxes outboxes = new OutboxOpening(registry, transactions::runInNew, transactions::runOutside)
                .open(configurations, types::names);
        Map<String, Capture> captures = new LinkedHashMap<>();
        outboxes.all()
                .forEach(outbox -> captures.put(
                        outbox.name(), capture(outbox, factories.get(outbox.name()), registry, transactions)));
        OutboxDeployment deployment =
                new OutboxDeployment(outboxes, new EventRouter(captures, types, registry), shared.validator());
        deployment.report(types, manager);
        return deployment;
    }

    private static Map<String, MessageFactory> factories(
            MessageFactories shared, Map<String, CurrentConfig> configurations) {
        Map<String, MessageFactory> factories = new LinkedHashMap<>();
        configurations.forEach((name, config) -> factories.put(name, shared.factory(config.current())));
        return factories;
    }

    /** Refuses a type whose outbox or destination is not configured. */
    private static void requireDestinations(EventTypes types, Map<String, MessageFactory> factories) {
        for (EventType type : types.all()) {
            type.requireOneOf(factories.keySet());
            factories.get(type.outbox()).require(type);
        }
    }

    private static Capture capture(
            OutboxInstance outbox,
            MessageFactory factory,
            TransactionSynchronizationRegistry registry,
            OwnTransactionBean transactions) {
        Optional<Consumer<Runnable>> ownTransaction =
                outbox.config().current().capture().ownTransaction()
                        ? Optional.of(transactions::runInNew)
                        : Optional.empty();
        return new Capture(factory, registry, outbox.lazyStore(), outbox.captured(), ownTransaction);
    }

    /** Reports what may be wrong with the deployment, and does not keep it from sending events. */
    private void report(EventTypes types, BeanManager manager) {
        ClassLoader application = Thread.currentThread().getContextClassLoader();
        Stream.of(
                        outboxes.all().stream().flatMap(outbox -> unknownRoutes(outbox, types)),
                        outboxes.all().stream().flatMap(outbox -> unknownHandledTypes(outbox, types)),
                        PersistenceUnits.elsewhere(application, dataSources()),
                        Telemetry.findings(manager))
                .flatMap(Function.identity())
                .forEach(outboxes::report);
    }

    /** A class outside of bean discovery becomes known at its first {@code fire()} only, so that this may be a false alarm. */
    private static Stream<Finding> unknownRoutes(OutboxInstance outbox, EventTypes types) {
        Set<String> known = namesOf(outbox, types);
        return outbox.config().current().routes().keySet().stream()
                .sorted()
                .filter(route -> known.stream().noneMatch(type -> OutboxConfig.matches(route, type)))
                .map(route -> OutboxCode.UNKNOWN_ROUTE.finding(route, Spelling.suggestion(route, known)));
    }

    /** May be a false alarm, too. */
    static Stream<Finding> unknownHandledTypes(OutboxInstance outbox, EventTypes types) {
        Set<String> known = namesOf(outbox, types);
        return outbox.config().current().handlers().entrySet().stream().flatMap(handler -> handler.getValue().stream()
                .filter(handled -> known.stream().noneMatch(type -> OutboxConfig.matches(handled, type)))
                .map(handled -> OutboxCode.HANDLED_TYPE_UNKNOWN.finding(
                        handler.getKey(), handled, Spelling.suggestion(handled, known))));
    }

    private static Set<String> namesOf(OutboxInstance outbox, EventTypes types) {
        return types.all().stream()
                .filter(type -> type.outbox().equals(outbox.name()))
                .map(EventType::name)
                .collect(Collectors.toSet());
    }

    /** Reports references to a DataSource whose connection is not the outbox's. */
    void reportUnshareable(Stream<String> references) {
        UnshareableReferences.findings(references, dataSources()).forEach(outboxes::report);
    }

    private List<String> dataSources() {
        return outboxes.all().stream()
                .map(outbox -> outbox.config().current().store().dataSource())
                .toList();
    }
}
