package dev.cdioutbox.internal.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;

/** All listeners of dispatch: those whose platform feature is present. */
@ApplicationScoped
public class Observers {
    private final Gauges gauges;
    private final Map<String, String> nodes = new ConcurrentHashMap<>();

    @Inject
    @Any
    Instance<DispatchListener> listeners;

    public Observers() {
        this(new Gauges());
    }

    public Observers(Gauges gauges) {
        this.gauges = gauges;
    }

    /** What was last seen. */
    public Gauges gauges() {
        return gauges;
    }

    /** What this process is called among those that dispatch for an outbox; null if it does not. */
    public String node(String outbox) {
        return nodes.get(outbox);
    }

    /**
     * The listeners of an outbox, whose dispatch begins.
     *
     * @param node what this process is called among those that dispatch
     */
    public List<DispatchListener> of(OpenOutbox outbox, String node) {
        nodes.put(outbox.name(), node);
        gauges.expectTicks(outbox.name());
        List<DispatchListener> all = new ArrayList<>(List.of(gauges));
        listeners.forEach(all::add);
        return all;
    }
}
