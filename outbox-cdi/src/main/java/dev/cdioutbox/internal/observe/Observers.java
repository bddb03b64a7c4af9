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

/** All dispatch listeners whose platform feature is present. */
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

    /** The last readings. */
    public Gauges gauges() {
        return gauges;
    }

    /** The node id of this process for an outbox; null if it does not dispatch for this outbox. */
    public String node(String outbox) {
        return nodes.get(outbox);
    }

    /**
     * The listeners of an outbox. Call this when its dispatch begins.
     *
     * @param node the node id of this process
     */
    public List<DispatchListener> of(OpenOutbox outbox, String node) {
        nodes.put(outbox.name(), node);
        gauges.expectTicks(outbox.name());
        // The gauges come first: other listeners read them.
        List<DispatchListener> all = new ArrayList<>(List.of(gauges));
        listeners.forEach(all::add);
        return all;
    }
}
