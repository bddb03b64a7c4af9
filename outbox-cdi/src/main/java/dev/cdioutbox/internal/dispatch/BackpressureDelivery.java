package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.OutboxConfig;

/**
 * Delivers the messages of a claim. If a full destination rejects all of them, a few are rescheduled without a charge,
 * so that the messages behind them are tried.
 */
final class BackpressureDelivery {
    private final SingleMessageDelivery singleMessageDelivery;
    private final BatchDelivery delivery;

    BackpressureDelivery(BatchDelivery delivery, CrashRecovery crashRecovery) {
        this.singleMessageDelivery = new SingleMessageDelivery(delivery, crashRecovery);
        this.delivery = delivery;
    }

    /** @return the first message that the batch did not come to, or null */
    OutboxMessage deliver(
            DestinationWorker worker,
            OutboxConfig config,
            List<OutboxMessage> batch,
            Map<Long, String> undecodable,
            DeliveryContext context)
            throws Exception {
        try {
            return singleMessageDelivery.deliver(worker, config, batch, undecodable, context);
        } catch (Exception e) {
            DestinationFullException refused = DestinationFullException.behind(e);
            if (refused == null
                    || !scheduleUncharged(
                            worker, config, firstOfEachKey(refused.messages(), batch), context, refused)) {
                throw e;
            }
            return refused.next();
        }
    }

    private boolean scheduleUncharged(
            DestinationWorker worker,
            OutboxConfig config,
            List<OutboxMessage> refused,
            DeliveryContext context,
            DestinationFullException why)
            throws Exception {
        List<OutboxMessage> again =
                refused.stream().filter(BackpressureDelivery::wasRejectedBefore).toList();
        int fresh = refused.size() - again.size();
        boolean all = fresh == 0 || worker.fullDestination.maySchedule(fresh);
        List<OutboxMessage> some = all ? refused : again;
        if (!some.isEmpty()) {
            delivery.scheduleUncharged(worker, some, config.dispatcher().interval(), why, context);
        }
        return all && !some.isEmpty();
    }

    private static boolean wasRejectedBefore(OutboxMessage message) {
        return message.delivery().status() == OutboxStatus.FAILED;
    }

    /** Only the first one of a key can go in the queue of its blocked key: another one would come before what it leaves. */
    private static List<OutboxMessage> firstOfEachKey(List<OutboxMessage> refused, List<OutboxMessage> batch) {
        Set<String> keys = new HashSet<>();
        List<OutboxMessage> first = new ArrayList<>();
        for (OutboxMessage message : batch) {
            if ((message.orderingKey() == null || keys.add(message.orderingKey())) && refused.contains(message)) {
                first.add(message);
            }
        }
        return first;
    }
}
