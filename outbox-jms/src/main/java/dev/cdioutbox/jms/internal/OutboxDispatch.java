package dev.cdioutbox.jms.internal;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.DestinationWorker;
import dev.cdioutbox.internal.dispatch.Dispatcher;

/** The dispatcher of one outbox, and its destination workers. */
final class OutboxDispatch {
    private final OpenOutbox outbox;
    private final Dispatcher dispatcher;
    private final BooleanSupplier stopping;
    private final Map<String, DestinationWorker> workers = new TreeMap<>();

    OutboxDispatch(OpenOutbox outbox, Dispatcher dispatcher, BooleanSupplier stopping) {
        this.outbox = outbox;
        this.dispatcher = dispatcher;
        this.stopping = stopping;
        for (String destination : config().destinations().keySet()) {
            DestinationWorker worker = new DestinationWorker(destination, outbox.label(destination));
            workers.put(worker.label(), worker);
        }
    }

    OpenOutbox outbox() {
        return outbox;
    }

    OutboxConfig config() {
        return outbox.config().current();
    }

    /** By the labels of their destinations. */
    Map<String, DestinationWorker> workers() {
        return Collections.unmodifiableMap(workers);
    }

    void register() {
        dispatcher.register();
    }

    void stop() {
        dispatcher.stop();
    }

    void tick() {
        dispatcher.tick();
        outbox.config().refresh();
    }

    void renewLeases() {
        dispatcher.renewLeases();
    }

    void checkTables() {
        dispatcher.checkTables();
    }

    void refreshBacklog() {
        dispatcher.refreshBacklog();
    }

    boolean sweep() {
        return dispatcher.sweep(this::config, stopping);
    }

    Throwable poll(DestinationWorker worker) {
        return dispatcher.poll(worker, this::config, stopping);
    }

    void checkStalled() {
        workers.values()
                .forEach(worker ->
                        dispatcher.checkStalled(worker, config().dispatcher().interval()));
    }

    void run(DestinationWorker worker) {
        dispatcher.run(worker, this::config, stopping);
    }

    void joinRun(DestinationWorker worker) {
        dispatcher.joinRun(worker, this::config, stopping);
    }

    void startThreadsWith(Consumer<String> call) {
        dispatcher.startThreadsWith(call);
    }

    void handOverWith(Consumer<String> call) {
        dispatcher.handOverWith(call);
    }
}
