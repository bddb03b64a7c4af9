package dev.cdioutbox.internal.observe;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.internal.dispatch.listener.DeliveryGuarantee;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;

/** The last guarantee report of each destination on this node. */
@ApplicationScoped
public class ReportedGuarantees implements DispatchListener {
    private final Map<String, DeliveryGuarantee> given = new ConcurrentHashMap<>();

    @Override
    public void guaranteeReported(DeliveryGuarantee guarantee) {
        given.put(guarantee.destination(), guarantee);
    }

    /** By destination. */
    public Map<String, DeliveryGuarantee> given() {
        return new TreeMap<>(given);
    }
}
