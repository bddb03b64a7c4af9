package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;

import dev.cdioutbox.OutboxMessage;

/**
 * The delivery of a batch.
 *
 * @param isSettled whether each message is published or expired, or was discarded by an operator
 * @param rest the first message that another batch can send at once; null if there is none
 */
public record BatchDelivery(boolean isSettled, OutboxMessage rest) {

    /**
     * Delivers the batch of a claim. If one attempt does not settle all of it, {@link BatchRecovery} does what is left.
     *
     * @throws Exception if the destination or the database is to blame; earlier commits of this batch remain
     */
    public static BatchDelivery of(DeliveryContext context) throws Exception {
        if (context.callsHandler()) {
            return new HandlingDelivery(context).deliver();
        }
        List<OutboxMessage> batch = context.claim().messages();
        Attempt attempt = new SendTransaction(context).deliver(batch);
        return attempt.delivers(batch) && context.claim().unreadable().isEmpty()
                ? new BatchDelivery(true, null)
                : new BatchRecovery(context).goOnAfter(attempt);
    }
}
