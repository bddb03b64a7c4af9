package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.container.Environment;

/**
 * Delivers the messages of a claim to a handler of the application, one after the other, each in its own transaction. From the first one
 * on that is not delivered, {@link BatchRecovery} does what is left.
 */
final class HandlingDelivery {
    private final DeliveryContext context;
    private final Environment environment;

    HandlingDelivery(DeliveryContext context) {
        this.context = context;
        this.environment = context.environment();
    }

    /** @throws Exception if the destination or the database is to blame; earlier commits of this batch remain */
    BatchDelivery deliver() throws Exception {
        if (!context.claim().unreadable().isEmpty()) {
            return new BatchRecovery(context).deliver();
        }
        List<OutboxMessage> batch = context.claim().messages();
        long begin = environment.nanoTime();
        for (int next = 0; next < batch.size(); next++) {
            if (next > 0 && (environment.isStopping() || isLate(begin))) {
                return new BatchDelivery(false, batch.get(next));
            }
            List<OutboxMessage> one = batch.subList(next, next + 1);
            Attempt attempt = new SendTransaction(context).deliver(one);
            if (!attempt.delivers(one)) {
                return new BatchRecovery(context, batch.subList(next, batch.size())).goOnAfter(attempt);
            }
        }
        return new BatchDelivery(true, null);
    }

    /** The partitions stay claimed meanwhile. */
    private boolean isLate(long begin) {
        return environment.nanoTime() - begin > BatchRecovery.LATE_AFTER.toNanos();
    }
}
