package dev.cdioutbox.internal.observe;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;

/** The last guarantee report of each destination on this node. */
@ApplicationScoped
public class GuaranteeReports implements DispatchListener {
    private final Map<String, GuaranteeReport> given = new ConcurrentHashMap<>();

    @Override
    public void guaranteeReported(GuaranteeReport guarantee) {
        given.put(guarantee.destination(), guarantee);
    }

    /** The reports by destination. */
    public Map<String, GuaranteeReport> given() {
        return new TreeMap<>(given);
    }
}
