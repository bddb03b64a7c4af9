package dev.cdioutbox.internal.operate.console;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.DeliveryGuarantee;
import dev.cdioutbox.internal.dispatch.DispatchListener;
import dev.cdioutbox.internal.problem.Problem;

/**
 * Why this node cannot deliver, for each destination: an outage charges no message, so that no message tells. Over once
 * something is delivered.
 */
@ApplicationScoped
class Troubles implements DispatchListener {
    private final Map<String, Trouble> last = new ConcurrentHashMap<>();

    /** By what the destinations are called where those of several outboxes meet. */
    Map<String, Trouble> last() {
        return Map.copyOf(last);
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

    @Override
    public void published(String destination, List<OutboxMessage> messages, Instant at, Duration took) {
        last.remove(destination);
    }

    @Override
    public void shadowed(String destination, String shadow, List<OutboxMessage> messages) {
        last.remove(destination);
    }
}
