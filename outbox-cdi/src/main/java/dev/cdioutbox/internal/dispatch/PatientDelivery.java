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
 * Delivers what a claim holds. Where nothing of it finds room, a few messages are put off, charged with nothing: others may find
 * some, and are behind them. What was put off before, and finds none again, is no news, and so no failure of the run.
 */
final class PatientDelivery {
    private final CarefulDelivery careful;
    private final Delivery delivery;

    PatientDelivery(Delivery delivery, Caution caution) {
        this.careful = new CarefulDelivery(delivery, caution);
        this.delivery = delivery;
    }

    /** @return the first message that the batch did not come to, or null */
    OutboxMessage deliver(
            Lane lane,
            OutboxConfig config,
            List<OutboxMessage> batch,
            Map<Long, String> undecodable,
            Aftermath aftermath)
            throws Exception {
        try {
            return careful.deliver(lane, config, batch, undecodable, aftermath);
        } catch (Exception e) {
            RefusedException refused = RefusedException.behind(e);
            if (refused == null || !putsOff(lane, config, inTurn(refused.messages(), batch), aftermath, refused)) {
                throw e;
            }
            return refused.next();
        }
    }

    private boolean putsOff(
            Lane lane, OutboxConfig config, List<OutboxMessage> refused, Aftermath aftermath, RefusedException why)
            throws Exception {
        List<OutboxMessage> again =
                refused.stream().filter(PatientDelivery::waitedBefore).toList();
        int fresh = refused.size() - again.size();
        boolean all = fresh == 0 || lane.refusals.mayPutOff(fresh);
        List<OutboxMessage> some = all ? refused : again;
        if (!some.isEmpty()) {
            delivery.putOff(lane, some, config.dispatcher().interval(), why, aftermath);
        }
        return all && !some.isEmpty();
    }

    private static boolean waitedBefore(OutboxMessage message) {
        return message.delivery().status() == OutboxStatus.FAILED;
    }

    /** Only the first one of a key can go behind its gate: another one would come before what it leaves. */
    private static List<OutboxMessage> inTurn(List<OutboxMessage> refused, List<OutboxMessage> batch) {
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
