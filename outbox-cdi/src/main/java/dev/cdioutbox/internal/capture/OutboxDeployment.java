package dev.cdioutbox.internal.capture;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.capture.deployment.DataSourceCheck;
import dev.cdioutbox.internal.capture.deployment.OptionalBeans;
import dev.cdioutbox.internal.capture.deployment.PersistenceUnits;
import dev.cdioutbox.internal.capture.deployment.PlatformServices;
import dev.cdioutbox.internal.capture.event.BeanValidation;
import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.capture.event.EventTypes;
import dev.cdioutbox.internal.capture.event.EventValidation;
import dev.cdioutbox.internal.capture.message.CausingMessage;
import dev.cdioutbox.internal.capture.message.Enrichers;
import dev.cdioutbox.internal.capture.message.JsonbSerializer;
import dev.cdioutbox.internal.capture.message.MessageFactory;
import dev.cdioutbox.internal.capture.message.MetadataSource;
import dev.cdioutbox.internal.capture.message.TraceHeaders;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.ConfigKey;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.Spelling;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.outbox.LazyStore;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.OutboxSerializer;

/**
 * Assembles the application's outboxes at deployment, from the services of the server and the beans of the
 * application: the tables, the serializer, and the sources of metadata in their order. Refuses a deployment that lacks
 * one of them, and runs the checks of DataSources and tables.
 */
record OutboxDeployment(Outboxes outboxes, EventRouter router, EventValidation validator) {
    private static final Logger LOG = Logger.getLogger(OutboxDeployment.class.getName());
    private static final String VALIDATOR = "jakarta.validation.Validator";
    private static final String CONSOLE = "dev.cdioutbox.internal.operate.console.ConsoleExtension";
    private static final String NO_EJB = "EJB that dispatches";
    private static final String TELEMETRY = "io.opentelemetry.api.trace.Span";

    /**
     * @param configurations the loaded configurations by the outboxes' names, the default one first
     * @throws dev.cdioutbox.OutboxException OBX-0112, OBX-02xx or OBX-03xx for a problem of the deployment
     */
    static OutboxDeployment of(EventTypes types, Map<String, CurrentConfig> configurations, BeanManager manager) {
        Instance<Object> beans = manager.createInstance();
        EventValidation validator = validator(beans);
        Function<OutboxConfig, MessageFactory> creation = factories(manager, validator, OutboxDeployment::jsonb);
        Map<String, MessageFactory> factories = new LinkedHashMap<>();
        configurations.forEach((name, config) -> factories.put(name, creation.apply(config.current())));
        for (EventType type : types.all()) {
            type.requireOneOf(factories.keySet());
            factories.get(type.outbox()).destinations(type);
        }
        TransactionSynchronizationRegistry registry =
                PlatformServices.platform(TransactionSynchronizationRegistry.class);
        List<OutboxInstance> outboxes = new ArrayList<>();
        Map<String, Capture> captures = new LinkedHashMap<>();
        OwnTransactionBean transactions = beans.select(OwnTransactionBean.class).get();
        configurations.forEach((name, config) -> {
            LazyStore store = new LazyStore(
                    name,
                    opening(config.current(), proving(transactions), registry),
                    transactions::runOutside,
                    System::nanoTime);
            if (config.current().store().schema() != SchemaMode.NONE) {
                store.open();
            }
            Consumer<Runnable> own = config.current().capture().ownTransaction() ? transactions::runInNew : null;
            OutboxInstance outbox = new OutboxInstance(name, config, store);
            outboxes.add(outbox);
            captures.put(name, new Capture(factories.get(name), registry, store, outbox.captured(), own));
        });
        requireDistinctTables(outboxes);
        Outboxes opened = new Outboxes(outboxes, registry, types::names);
        Stream.of(
                        configurations.entrySet().stream()
                                .flatMap(named -> unknownRoutes(named.getKey(), named.getValue(), types)),
                        PersistenceUnits.elsewhere(
                                Thread.currentThread().getContextClassLoader(),
                                configurations.values().stream()
                                        .map(config -> config.current().store().dataSource())
                                        .toList()),
                        invisibleTelemetry(manager))
                .flatMap(findings -> findings)
                .forEach(opened::report);
        return new OutboxDeployment(opened, new EventRouter(captures, types, registry), validator);
    }

    /** Creates message factories for a unit test, with the application's serializer, validator and enrichers. */
    static Function<OutboxConfig, MessageFactory> factories(UnitTestCapture unitTest, BeanManager manager) {
        return factories(manager, validator(manager.createInstance()), unitTest::defaultSerializer);
    }

    private static Function<OutboxConfig, MessageFactory> factories(
            BeanManager manager, EventValidation validator, Function<Instance<Object>, OutboxSerializer> fallback) {
        Instance<Object> beans = manager.createInstance();
        OutboxSerializer own = OptionalBeans.atMostOne(beans, OutboxSerializer.class);
        OutboxSerializer serializer = own == null ? fallback.apply(beans) : own;
        List<MetadataSource> sources = sources(beans);
        return config -> new MessageFactory(config, validator, serializer, sources);
    }

    /**
     * Requires a publisher and the EJB timers for each destination whose dispatcher is enabled: without them the outbox
     * would send no message and log no error.
     *
     * @param hasTimer whether the server made an EJB of the dispatch timer
     * @throws dev.cdioutbox.OutboxException OBX-0207 for several publishers of one transport, or OBX-0219
     */
    static void requireDispatcher(Collection<CurrentConfig> configurations, BeanManager manager, boolean hasTimer) {
        Set<String> publishers = OptionalBeans.publishers(manager).keySet();
        configurations.stream().map(CurrentConfig::current).forEach(config -> config.destinations()
                .forEach((name, destination) -> {
                    String transport = destination.transport();
                    // The timer purges, and watches the slot.
                    boolean isMissing = !hasTimer || !destination.isCdc() && !publishers.contains(transport);
                    if (isMissing && config.of(name).dispatcher().enabled()) {
                        String bean = named(transport) + Spelling.suggestion(transport, publishers);
                        throw OutboxCode.NO_DISPATCHER.exception(
                                hasTimer ? bean : NO_EJB, config.destinationId(name), transport);
                    }
                }));
        boolean isCdc = configurations.stream()
                .anyMatch(
                        config -> !config.current().store().cdc().destinations().isEmpty());
        if (publishers.isEmpty() && !isCdc || !hasTimer) {
            LOG.info(OutboxCode.ONLY_CAPTURES.text(publishers.isEmpty() ? named(DestinationConfig.JMS) : NO_EJB));
        }
    }

    private static String named(String transport) {
        return "bean of the type %s named %s".formatted(OutboxPublisher.class.getName(), transport);
    }

    /** Only warns: events are sent without it. */
    static void reportMissingConsole(Collection<CurrentConfig> configurations) {
        boolean isWanted = configurations.stream()
                .anyMatch(config -> config.current().console().enabled());
        if (isWanted && !PlatformServices.isPresent(CONSOLE)) {
            LOG.warning(OutboxCode.NO_CONSOLE.text());
        }
    }

    /** Only warns: nobody can tell to which database a reference leads. */
    void reportSecondBranches(Stream<String> references) {
        String ours = outboxes.all().stream()
                .map(outbox -> store(outbox).dataSource())
                .distinct()
                .collect(Collectors.joining(", "));
        references
                .map(reference -> OutboxCode.SECOND_BRANCH.finding(reference, ours))
                .forEach(outboxes::report);
    }

    /** Only warns: a class outside of bean discovery becomes known at its first {@code fire()}. */
    private static Stream<Finding> unknownRoutes(String outbox, CurrentConfig config, EventTypes types) {
        Set<String> known = types.all().stream()
                .filter(type -> type.outbox().equals(outbox))
                .map(EventType::name)
                .collect(Collectors.toSet());
        return config.current().routes().keySet().stream()
                .sorted()
                .filter(route -> known.stream().noneMatch(type -> OutboxConfig.matches(route, type)))
                .map(route -> OutboxCode.UNKNOWN_ROUTE.finding(route, Spelling.suggestion(route, known)));
    }

    /**
     * Runs the check of a DataSource in a transaction. By {@code @Transactional}, since only that one fails on GlassFish:
     * its interceptor takes the transaction from the component before the commit, and the container gives out
     * connections in auto-commit from then on. Liberty treats both alike, but would write an FFDC for a
     * {@code @Transactional} method whose commit is a rollback.
     */
    private static Consumer<Runnable> proving(OwnTransactionBean transactions) {
        UserTransactions user = new UserTransactions(PlatformServices.platform(UserTransaction.class));
        return user.areOfLiberty() ? user : transactions::runInNew;
    }

    /** Looks the DataSources up now, since a later thread may see no JNDI names. */
    private static Supplier<JdbcOutboxStore> opening(
            OutboxConfig config, Consumer<Runnable> inNew, TransactionSynchronizationRegistry registry) {
        String jndi = config.store().dataSource();
        DataSource dataSource = PlatformServices.lookUp(DataSource.class, jndi, ConfigKey.DATA_SOURCE.toString());
        String dispatching = config.store().dispatchingDataSource();
        DataSource other = dispatching == null
                ? null
                : PlatformServices.lookUp(DataSource.class, dispatching, ConfigKey.DISPATCHER_DATA_SOURCE.toString());
        AtomicReference<JdbcOutboxStore> opened = new AtomicReference<>();
        return () -> {
            JdbcOutboxStore store = opened.get();
            if (store == null) {
                // Once, since it logs warnings: the checks after it may fail and be repeated.
                store = JdbcOutboxStore.open(
                        dataSource, config.store(), config.destinations().keySet());
                opened.set(store);
            }
            DataSourceCheck.requireTransactions(store.nodes(), inNew, registry, ConfigKey.DATA_SOURCE.toString(), jndi);
            DataSourceCheck.requireTexts(store.texts(), ConfigKey.DATA_SOURCE.toString(), jndi);
            if (other == null) {
                store.cdc().require();
                logSettings(store, config);
                return store;
            }
            JdbcOutboxStore whole = store.dispatchingOn(other, dispatching);
            DataSourceCheck.requireSameTables(store.nodes(), whole.nodes(), dispatching);
            DataSourceCheck.requireTransactions(
                    whole.nodes(), inNew, registry, ConfigKey.DISPATCHER_DATA_SOURCE.toString(), dispatching);
            DataSourceCheck.requireTexts(whole.texts(), ConfigKey.DISPATCHER_DATA_SOURCE.toString(), dispatching);
            whole.cdc().require();
            logSettings(whole, config);
            return whole;
        };
    }

    private static void logSettings(JdbcOutboxStore store, OutboxConfig config) {
        store.setup()
                .findingsOfSettings(config.capture().maxPayloadBytes())
                .forEach(finding -> LOG.warning(finding.toString()));
    }

    /**
     * Two DataSources may lead to one database, and then each outbox would send the other's messages to its own
     * destinations.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0201 if two outboxes have the same tables and application
     */
    static void requireDistinctTables(List<OutboxInstance> outboxes) {
        for (OutboxInstance one : outboxes) {
            for (OutboxInstance other : outboxes.subList(0, outboxes.indexOf(one))) {
                if (store(one).application().equals(store(other).application()) && haveSameTables(one, other)) {
                    throw OutboxCode.BAD_CONFIGURATION.exception(
                            " the outboxes '" + other.name() + "' and '" + one.name()
                                    + "' have the same tables and one application;"
                                    + " give one of them another DataSource, table-prefix or application.");
                }
            }
        }
    }

    /** Two names may lead to the same tables. With {@code outbox.schema=none} the start does not touch the tables. */
    private static boolean haveSameTables(OutboxInstance one, OutboxInstance other) {
        return store(one).dataSource().equals(store(other).dataSource())
                        && store(one)
                                .tablePrefix()
                                .equalsIgnoreCase(store(other).tablePrefix())
                || store(one).schema() != SchemaMode.NONE
                        && store(other).schema() != SchemaMode.NONE
                        && DataSourceCheck.haveSameTables(
                                one.store().nodes(), other.store().nodes());
    }

    private static StoreConfig store(OutboxInstance outbox) {
        return outbox.config().current().store();
    }

    /** The JVM loads {@link BeanValidation}, with the types of that feature, only if the feature is there. */
    private static EventValidation validator(Instance<Object> beans) {
        return PlatformServices.isPresent(VALIDATOR) ? BeanValidation.of(beans) : EventValidation.NONE;
    }

    private static OutboxSerializer jsonb(Instance<Object> beans) {
        try {
            return new JsonbSerializer(JsonbSerializer.jsonb(beans));
        } catch (OutboxException e) {
            throw e;
        } catch (LinkageError | RuntimeException e) {
            throw OutboxCode.NO_SERIALIZER.exception(e, FailureReason.of(e));
        }
    }

    private static List<MetadataSource> sources(Instance<Object> beans) {
        List<MetadataSource> sources = new ArrayList<>();
        sources.add(CausingMessage::describe);
        if (PlatformServices.isPresent(TELEMETRY)) {
            sources.add(new TraceHeaders());
        }
        sources.add(new Enrichers(beans.select(OutboxEnricher.class)));
        return sources;
    }

    /** The server has a bean of a class that the application does not see. */
    private static Stream<Finding> invisibleTelemetry(BeanManager manager) {
        return !PlatformServices.isPresent(TELEMETRY) && hasBeanOf(manager, TELEMETRY)
                ? Stream.of(OutboxCode.TELEMETRY_INVISIBLE.finding())
                : Stream.empty();
    }

    private static boolean hasBeanOf(BeanManager manager, String className) {
        return manager.getBeans(Object.class, Any.Literal.INSTANCE).stream()
                .flatMap(bean -> bean.getTypes().stream())
                .anyMatch(type -> type.getTypeName().equals(className));
    }
}
