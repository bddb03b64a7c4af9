package dev.cdioutbox.jms.internal;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;

import jakarta.annotation.PostConstruct;
import jakarta.ejb.EJB;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.config.ConfigSource;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.Lane;
import dev.cdioutbox.internal.dispatch.Transactions;
import dev.cdioutbox.internal.observe.Observers;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.OutboxPublisher;

/** The engine with this application's store, publisher and lanes. */
@ApplicationScoped
public class DispatchService {
    @Inject
    OutboxStore store;

    @Inject
    ConfigSource config;

    @Inject
    OutboxPublisher publisher;

    @Inject
    Observers observers;

    @EJB
    Transactions transactions;

    private final Map<String, Lane> lanes = new TreeMap<>();
    private Dispatcher dispatcher;
    private volatile boolean stopping;

    @PostConstruct
    void assemble() {
        dispatcher = new Dispatcher(store, publisher, transactions, node());
        observers.all().forEach(dispatcher::addListener);
        config.current().destinations().keySet().forEach(name -> lanes.put(name, new Lane(name)));
    }

    public Set<String> destinations() {
        return lanes.keySet();
    }

    /** How to call {@link #help} on another thread, where several batches may be under way at a time. */
    public void helpWith(Consumer<String> call) {
        dispatcher.helpWith(call);
    }

    /** Makes this node known before its lanes begin. */
    public void register() {
        dispatcher.register();
    }

    /** The timer calls: the configuration is read again. */
    public OutboxConfig tick() {
        dispatcher.tick();
        return config.refresh();
    }

    /** Removes what was kept long enough; tells whether there is more to be removed at once. */
    public boolean sweep() {
        return dispatcher.sweep(config::current, () -> stopping);
    }

    public void watch() {
        dispatcher.watch();
    }

    /** The lane's timer calls. Returns what failed, or null. */
    public Throwable poll(String destination) {
        return dispatcher.poll(lanes.get(destination), config::current, () -> stopping);
    }

    /** A wake-up. */
    public void run(String destination) {
        dispatcher.run(lanes.get(destination), config::current, () -> stopping);
    }

    /** Takes part in a run that is under way. */
    public void help(String destination) {
        dispatcher.help(lanes.get(destination), config::current, () -> stopping);
    }

    /** Asks for a wake-up; true if the caller has to start it. */
    public boolean ring(String destination) {
        return !stopping && lanes.get(destination).ring();
    }

    public boolean isFirstFailure(String destination) {
        return lanes.get(destination).failures() == 1;
    }

    /** Ends every run after the batch in flight. */
    public void stop() {
        stopping = true;
    }

    private static NodeIdentity node() {
        String version = DispatchService.class.getPackage().getImplementationVersion();
        return new NodeIdentity(
                UUID.randomUUID().toString(),
                host(),
                System.getProperty("wlp.server.name", "unknown"),
                ProcessHandle.current().pid(),
                version == null ? "unknown" : version);
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            // For people to read only; the runtime's name tells as much.
            return ManagementFactory.getRuntimeMXBean().getName();
        }
    }
}
