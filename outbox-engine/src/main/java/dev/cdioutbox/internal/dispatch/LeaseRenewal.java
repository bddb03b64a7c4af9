package dev.cdioutbox.internal.dispatch;

import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.claim.ClaimStore;

/**
 * Renews the leases of the batches that this node has in flight, of all destinations of one outbox. Has nothing to do while
 * destinations are claimed by row locks. The timer {@code OutboxTimer.LEASES} calls it. Thread-safe.
 */
final class LeaseRenewal {
    private static final Logger LOG = Logger.getLogger(LeaseRenewal.class.getName());

    private final String outbox;
    private final ClaimStore claims;
    private final Environment environment;
    private final RepeatedLine failures = new RepeatedLine();

    LeaseRenewal(String outbox, ClaimStore claims, Environment environment) {
        this.outbox = outbox;
        this.claims = claims;
        this.environment = environment;
    }

    /** What fails is tried again at the next call, which comes long before a lease of the least length ends. */
    void renew() {
        try {
            environment.outside(() -> {
                claims.renewLeases();
                return null;
            });
        } catch (Exception e) {
            int due = environment.isStopping() ? 0 : failures.due(environment.nanoTime());
            if (due > 0) {
                LOG.log(
                        Level.WARNING,
                        OutboxCode.LEASE_NOT_RENEWED.text(outbox, FailureReason.of(e), due),
                        FailureLog.trace(e));
            }
        }
    }
}
