package dev.cdioutbox.jms.internal.dispatch;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.UUID;

import jakarta.annotation.PostConstruct;
import jakarta.ejb.EJB;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.dispatch.DestinationWorker;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.container.Transactions;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.spi.OutboxPublisher;

/** The dispatchers of all outboxes. Finds a destination worker by the label of its destination. Thread-safe. */
@ApplicationScoped
public class DispatchService {
    @Inject
    Outboxes outboxes;

    @Inject
    OutboxPublisher publisher;

    @Inject
    Gauges gauges;

    @EJB
    Transactions transactions;

    @EJB
    WorkerStarter starter;

    private final Map<OpenOutbox, Dispatcher> dispatchers = new LinkedHashMap<>();
    private final Map<String, DestinationWorker> workers = new HashMap<>();
    private volatile boolean stopping;

    @PostConstruct
    void assemble() {
        for (OpenOutbox outbox : outboxes.all()) {
            NodeIdentity node = node(outbox.config().module());
            Dispatcher dispatcher = new Dispatcher(
                    outbox.store(), publisher, transactions, node, outbox.config()::current, () -> stopping);
            gauges.listeners(outbox, node.id()).forEach(dispatcher::addListener);
            dispatcher.startThreadsWith(starter::joinRun);
            dispatcher.handOverWith(starter::wake);
            dispatchers.put(outbox, dispatcher);
            workers.putAll(dispatcher.workers());
        }
    }

    /** The dispatcher of each outbox. */
    public Map<OpenOutbox, Dispatcher> dispatchers() {
        return Collections.unmodifiableMap(dispatchers);
    }

    /** The workers of all outboxes. */
    public Collection<DestinationWorker> workers() {
        return Collections.unmodifiableCollection(workers.values());
    }

    /**
     * Finds a worker by the label of its destination.
     *
     * @throws NoSuchElementException if there is none, for example for a destination that was configured after the
     *     start
     */
    public DestinationWorker worker(String label) {
        DestinationWorker worker = workers.get(label);
        if (worker == null) {
            throw new NoSuchElementException(label);
        }
        return worker;
    }

    /** Ends each run after its current batch, and deletes this node's rows. */
    public void stop() {
        stopping = true;
        dispatchers.values().forEach(Dispatcher::stop);
    }

    private static NodeIdentity node(String module) {
        String version = DispatchService.class.getPackage().getImplementationVersion();
        return new NodeIdentity(
                UUID.randomUUID().toString(),
                module,
                host(),
                server(),
                ProcessHandle.current().pid(),
                version == null ? "unknown" : version);
    }

    /** As Open Liberty or WildFly names it. */
    private static String server() {
        return System.getProperty("wlp.server.name", System.getProperty("jboss.server.name", "unknown"));
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            // The host name is information only; the name of the runtime is good enough.
            return ManagementFactory.getRuntimeMXBean().getName();
        }
    }
}
