package dev.cdioutbox.internal.observe;

import java.util.ArrayList;
import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.dispatch.DispatchListener;

/** All who look on at dispatch: whichever of them the platform has the feature for. */
@ApplicationScoped
public class Observers {
    private final Gauges gauges;

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

    /** The listeners to be told of dispatch, which begins. */
    public List<DispatchListener> all() {
        gauges.expectTicks();
        List<DispatchListener> all = new ArrayList<>(List.of(gauges));
        listeners.forEach(all::add);
        return all;
    }
}
