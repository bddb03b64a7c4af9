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

/**
 * The engine of each outbox, with the publisher and the destination workers. Workers are identified by their
 * destinations' labels.
 */
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

    /** How to call {@link #joinRun} on another thread, for concurrent batches. */
    public void startThreadsWith(Consumer<String> call) {
        dispatches.forEach(dispatch -> dispatch.startThreadsWith(call));
    }

    /** How to call {@link #run} on another thread, at the end of a thread's time slice. */
    public void handOverWith(Consumer<String> call) {
        dispatches.forEach(dispatch -> dispatch.handOverWith(call));
    }

    /** Writes this node's row before its workers begin. */
    public void register() {
        dispatches.forEach(OutboxDispatch::register);
    }

    /** Called by the housekeeping timer: reads the configuration again. */
    public void tick() {
        dispatches.forEach(OutboxDispatch::tick);
    }

    /** Deletes or archives messages whose retention is over; returns whether more can be removed at once. */
    public boolean sweep() {
        boolean more = false;
        for (OutboxDispatch dispatch : dispatches) {
            more |= dispatch.sweep();
        }
        return more;
    }

    /** Renews the leases of batches in flight. Failures are thrown after all outboxes were served. */
    public void renewLeases() {
        each(OutboxDispatch::renewLeases);
    }

    /** Checks the tables. Failures are thrown after all outboxes were checked. */
    public void checkTables() {
        each(OutboxDispatch::checkTables);
    }

    /** Reads the backlogs. Failures are thrown after all outboxes were read. */
    public void refreshBacklog() {
        each(OutboxDispatch::refreshBacklog);
    }

    /** One unreachable database must not affect the other outboxes. */
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

    /** Called by a worker's timer. Returns the failure, or null. */
    public Throwable poll(String label) {
        OutboxDispatch dispatch = of(label);
        return dispatch.poll(dispatch.workers().get(label));
    }

    /** Replaces timers whose threads hang in their workers. */
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

    /** Joins a run in progress. */
    public void joinRun(String label) {
        OutboxDispatch dispatch = of(label);
        dispatch.joinRun(dispatch.workers().get(label));
    }

    /** Requests a run; returns true if the caller has to start it. */
    public boolean requestRun(String label) {
        return !stopping && worker(label).requestRun();
    }

    public boolean isFirstFailure(String label) {
        return worker(label).failures() == 1;
    }

    /**
     * Ends each run after its current batch, and deletes the node's row, so that the next process does not assume a
     * crash.
     */
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
            // Information only; the name of the runtime will do.
            return ManagementFactory.getRuntimeMXBean().getName();
        }
    }
}
