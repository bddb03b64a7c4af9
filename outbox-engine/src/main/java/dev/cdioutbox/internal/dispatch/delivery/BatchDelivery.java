package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.container.Environment;

/**
 * The delivery of a batch.
 *
 * @param isSettled whether each message is published or expired, or was discarded by an operator
 * @param rest the first message that another batch can send at once; null if there is none
 */
public record BatchDelivery(boolean isSettled, OutboxMessage rest) {

    /**
     * Delivers the batch of a claim, in groups that each have a transaction: for a broker, one group; for a handler, one message each.
     * From the first group on that is not delivered, {@link BatchRecovery} does what is left.
     *
     * @throws Exception if the destination or the database is to blame; earlier commits of this batch remain
     */
    public static BatchDelivery of(DeliveryContext context) throws Exception {
        if (!context.claim().unreadable().isEmpty()) {
            return new BatchRecovery(context).deliver();
        }
        List<OutboxMessage> batch = context.claim().messages();
        int size = context.protocol().groupOf(batch.size());
        long begin = context.environment().nanoTime();
        for (int from = 0; from < batch.size(); from += size) {
            if (from > 0 && mustEnd(context, begin)) {
                return new BatchDelivery(false, batch.get(from));
            }
            List<OutboxMessage> group = batch.subList(from, from + size);
            Attempt attempt = new SendTransaction(context).deliver(group);
            if (!attempt.delivers(group)) {
                return new BatchRecovery(context, batch.subList(from, batch.size())).goOnAfter(attempt);
            }
        }
        return new BatchDelivery(true, null);
    }

    /** The partitions of the claim stay reserved until its end. */
    private static boolean mustEnd(DeliveryContext context, long begin) {
        Environment environment = context.environment();
        return environment.isStopping() || environment.nanoTime() - begin > BatchRecovery.LATE_AFTER.toNanos();
    }
}
