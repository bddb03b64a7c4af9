package dev.cdioutbox.jms.internal;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

import jakarta.annotation.PostConstruct;
import jakarta.ejb.EJB;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.dispatch.DestinationWorker;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.LabelledPublisher;
import dev.cdioutbox.internal.dispatch.Transactions;
import dev.cdioutbox.internal.observe.Observers;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.spi.OutboxPublisher;

/** The engine with this application's outboxes, publisher and workers. Workers are known by their destinations' labels. */
@ApplicationScoped
public class DispatchService {
    @Inject
    Outboxes outboxes;

    @Inject
    OutboxPublisher publisher;

    @Inject
    Observers observers;

    @EJB
    Transactions transactions;

    private final List<OutboxDispatch> dispatches = new ArrayList<>();
    private volatile boolean stopping;

    @PostConstruct
    void assemble() {
        for (OpenOutbox outbox : outboxes.all()) {
            NodeIdentity node = node();
            Dispatcher dispatcher =
                    new Dispatcher(outbox.store(), new LabelledPublisher(publisher, outbox::label), transactions, node);
            observers.of(outbox, node.id()).forEach(dispatcher::addListener);
            dispatches.add(new OutboxDispatch(outbox, dispatcher, () -> stopping));
        }
    }

    /** One for each outbox. */
    List<OutboxDispatch> dispatches() {
        return Collections.unmodifiableList(dispatches);
    }

    /** How to call {@link #help} on another thread, where several batches may be under way at a time. */
    public void startThreadsWith(Consumer<String> call) {
        dispatches.forEach(dispatch -> dispatch.startThreadsWith(call));
    }

    /** How to call {@link #run} on another thread, in the place of one that has worked for long enough. */
    public void handOverWith(Consumer<String> call) {
        dispatches.forEach(dispatch -> dispatch.handOverWith(call));
    }

    /** Makes this node known before its workers begin. */
    public void register() {
        dispatches.forEach(OutboxDispatch::register);
    }

    /** The timer calls: the configuration is read again. */
    public void tick() {
        dispatches.forEach(OutboxDispatch::tick);
    }

    /** Removes what was kept long enough; tells whether there is more to be removed at once. */
    public boolean sweep() {
        boolean more = false;
        for (OutboxDispatch dispatch : dispatches) {
            more |= dispatch.sweep();
        }
        return more;
    }

    /** Renews the leases of what is being sent. What fails is thrown when all were asked. */
    public void renewLeases() {
        each(OutboxDispatch::renewLeases);
    }

    /** Looks at the tables. What fails is thrown when all were asked. */
    public void checkTables() {
        each(OutboxDispatch::checkTables);
    }

    /** Reads the backlogs. What fails is thrown when all were asked. */
    public void refreshBacklog() {
        each(OutboxDispatch::refreshBacklog);
    }

    /** An outbox whose database is away must not cost the others. */
    private void each(Consumer<OutboxDispatch> what) {
        RuntimeException failure = null;
        for (OutboxDispatch dispatch : dispatches) {
            try {
                what.accept(dispatch);
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** The worker's timer calls. Returns what failed, or null. */
    public Throwable poll(String label) {
        OutboxDispatch dispatch = of(label);
        return dispatch.poll(dispatch.workers().get(label));
    }

    /** Workers whose timers' threads hang are not left to them. */
    public void checkStalled() {
        if (!stopping) {
            dispatches.forEach(OutboxDispatch::checkStalled);
        }
    }

    /** A wake-up. */
    public void run(String label) {
        OutboxDispatch dispatch = of(label);
        dispatch.run(dispatch.workers().get(label));
    }

    /** Takes part in a run that is under way. */
    public void joinRun(String label) {
        OutboxDispatch dispatch = of(label);
        dispatch.joinRun(dispatch.workers().get(label));
    }

    /** Asks for a wake-up; true if the caller has to start it. */
    public boolean requestRun(String label) {
        return !stopping && worker(label).requestRun();
    }

    public boolean isFirstFailure(String label) {
        return worker(label).failures() == 1;
    }

    /** Ends every run after the batch in flight. Whoever starts next knows by it that this process did not die. */
    public void stop() {
        stopping = true;
        dispatches.forEach(OutboxDispatch::stop);
    }

    private DestinationWorker worker(String label) {
        return of(label).workers().get(label);
    }

    private OutboxDispatch of(String label) {
        return dispatches.stream()
                .filter(dispatch -> dispatch.workers().containsKey(label))
                .findFirst()
                .orElseThrow();
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
