package dev.cdioutbox.internal.dispatch.listener;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;

/** Notifies all listeners, and logs their exceptions, so that no listener can break dispatch. */
public final class ListenerNotifier {
    private static final Logger LOG = Logger.getLogger(ListenerNotifier.class.getName());

    private final List<DispatchListener> all = new CopyOnWriteArrayList<>();
    private final BooleanSupplier stopping;

    /** @param stopping whether the application stops: then a listener may fail, which needs no warning */
    public ListenerNotifier(BooleanSupplier stopping) {
        this.stopping = stopping;
    }

    public void add(DispatchListener listener) {
        all.add(listener);
    }

    public void notifyEach(Consumer<DispatchListener> what) {
        for (DispatchListener listener : all) {
            try {
                what.accept(listener);
            } catch (RuntimeException | LinkageError e) {
                LOG.log(
                        stopping.getAsBoolean() ? Level.FINE : Level.WARNING,
                        Problem.LISTENER_FAILED.text(listener.getClass().getName(), Problem.reason(e)),
                        e);
            }
        }
    }
}
