package dev.cdioutbox.internal.dispatch.container;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;

/** The listeners of one outbox's dispatcher. None of them can break dispatch. Thread-safe. */
public final class Listeners {
    private static final Logger LOG = Logger.getLogger(Listeners.class.getName());

    private final List<DispatchListener> all;
    private final BooleanSupplier stopping;

    /** @param stopping whether the application is stopping: then a listener may fail, and that needs no warning */
    Listeners(Collection<DispatchListener> first, BooleanSupplier stopping) {
        all = new CopyOnWriteArrayList<>(first);
        this.stopping = stopping;
    }

    public void add(DispatchListener listener) {
        all.add(listener);
    }

    /** Notifies all listeners, and logs their exceptions and errors. */
    public void notifyEach(Consumer<DispatchListener> what) {
        for (DispatchListener listener : all) {
            try {
                what.accept(listener);
            } catch (RuntimeException | Error e) {
                LOG.log(
                        stopping.getAsBoolean() ? Level.FINE : Level.WARNING,
                        OutboxCode.LISTENER_FAILED.text(listener.getClass().getName(), FailureReason.of(e)),
                        e);
            }
        }
    }
}
