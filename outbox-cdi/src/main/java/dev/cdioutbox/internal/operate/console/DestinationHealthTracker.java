package dev.cdioutbox.internal.operate.console;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.observe.Observers;
import dev.cdioutbox.internal.observe.ThreadActivity;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Keeps the last failure of each destination: an outage charges no message, so no message shows it. A successful run
 * clears the failure.
 */
@ApplicationScoped
public class DestinationHealthTracker implements DispatchListener {
    @Inject
    ThreadActivity threadActivity;

    @Inject
    Observers observers;

    private final Map<String, DestinationHealth.Failure> lastFailures = new ConcurrentHashMap<>();

    /** @param label the destination's label, which is unique across outboxes */
    DestinationHealth health(String label) {
        Gauges gauges = observers.gauges();
        int messages = gauges.inDoubt(label);
        return new DestinationHealth(
                lastFailures.get(label),
                threadActivity.silence(label),
                messages == 0 ? null : new DestinationHealth.InDoubt(messages, (long) gauges.inDoubtSeconds(label)));
    }

    @Override
    public void failed(String destination, int messages, Throwable cause) {
        keep(destination, Problem.reason(cause));
    }

    @Override
    public void guaranteeReported(GuaranteeReport guarantee) {
        if (guarantee.refusal() != null) {
            keep(guarantee.destination(), guarantee.refusal());
        }
    }

    private void keep(String destination, String reason) {
        lastFailures.put(destination, new DestinationHealth.Failure(System.currentTimeMillis(), reason));
    }

    /** A run without messages counts as a success too. */
    @Override
    public void ended(String destination, int failures) {
        if (failures == 0) {
            lastFailures.remove(destination);
        }
    }
}
