package dev.cdioutbox.internal.operate.console;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.dispatch.DeliveryGuarantee;
import dev.cdioutbox.internal.dispatch.DispatchListener;
import dev.cdioutbox.internal.observe.Runs;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Why this node cannot deliver, for each destination: an outage charges no message, so that no message tells. Over once a
 * run ends well.
 */
@ApplicationScoped
class Troubles implements DispatchListener {
    @Inject
    Runs runs;

    private final Map<String, Trouble> last = new ConcurrentHashMap<>();

    /** @param label what the destination is called where those of several outboxes meet */
    Way way(String label) {
        return new Way(last.get(label), runs.silence(label));
    }

    @Override
    public void failed(String destination, int messages, Throwable cause) {
        note(destination, Problem.reason(cause));
    }

    @Override
    public void guaranteed(DeliveryGuarantee guarantee) {
        if (guarantee.refusal() != null) {
            note(guarantee.destination(), guarantee.refusal());
        }
    }

    private void note(String destination, String reason) {
        last.put(destination, new Trouble(System.currentTimeMillis(), reason));
    }

    /** With nothing to send, too. */
    @Override
    public void ended(String destination, int failures) {
        if (failures == 0) {
            last.remove(destination);
        }
    }
}
