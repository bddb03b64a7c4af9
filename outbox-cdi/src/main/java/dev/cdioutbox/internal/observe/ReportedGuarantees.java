package dev.cdioutbox.internal.observe;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.internal.dispatch.DeliveryGuarantee;
import dev.cdioutbox.internal.dispatch.DispatchListener;

/** What each destination's messages get on this node, as far as it was tried. */
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
