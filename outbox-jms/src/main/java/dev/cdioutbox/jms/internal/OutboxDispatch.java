package dev.cdioutbox.jms.internal;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.Lane;

/** The dispatch of one outbox: its engine and its lanes. */
final class OutboxDispatch {
    private final OpenOutbox outbox;
    private final Dispatcher dispatcher;
    private final BooleanSupplier stopping;
    private final Map<String, Lane> lanes = new TreeMap<>();

    OutboxDispatch(OpenOutbox outbox, Dispatcher dispatcher, BooleanSupplier stopping) {
        this.outbox = outbox;
        this.dispatcher = dispatcher;
        this.stopping = stopping;
        for (String destination : config().destinations().keySet()) {
            Lane lane = new Lane(destination, outbox.label(destination));
            lanes.put(lane.label(), lane);
        }
    }

    OpenOutbox outbox() {
        return outbox;
    }

    OutboxConfig config() {
        return outbox.config().current();
    }

    /** By the labels of their destinations. */
    Map<String, Lane> lanes() {
        return Collections.unmodifiableMap(lanes);
    }

    void register() {
        dispatcher.register();
    }

    void leave() {
        dispatcher.leave();
    }

    void tick() {
        dispatcher.tick();
        outbox.config().refresh();
    }

    void renewLeases() {
        dispatcher.renewLeases();
    }

    void look() {
        dispatcher.look();
    }

    void watch() {
        dispatcher.watch();
    }

    boolean sweep() {
        return dispatcher.sweep(this::config, stopping);
    }

    Throwable poll(Lane lane) {
        return dispatcher.poll(lane, this::config, stopping);
    }

    void relieve() {
        lanes.values()
                .forEach(lane -> dispatcher.relieve(lane, config().dispatcher().interval()));
    }

    void run(Lane lane) {
        dispatcher.run(lane, this::config, stopping);
    }

    void help(Lane lane) {
        dispatcher.help(lane, this::config, stopping);
    }

    void helpWith(Consumer<String> call) {
        dispatcher.helpWith(call);
    }

    void relieveWith(Consumer<String> call) {
        dispatcher.relieveWith(call);
    }
}
