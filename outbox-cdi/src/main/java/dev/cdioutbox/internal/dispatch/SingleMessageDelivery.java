package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Delivers the messages of a claim. After a crash, those that may have been in flight are sent singly first. A message
 * that was being sent singly at a further crash is abandoned.
 */
final class SingleMessageDelivery {
    private static final Logger LOG = Logger.getLogger(SingleMessageDelivery.class.getName());

    /** Then the claim ends, since a server that stops waits for what is under way; the next one goes on. */
    private static final Duration TIME_SLICE = Duration.ofSeconds(1);

    /** Several others may have been served meanwhile. */
    private static final Duration LOCK_WAIT = TIME_SLICE.multipliedBy(3);

    /** If no send was begun for so long, the last one hangs. */
    private static final Duration STALLED_AFTER = Duration.ofSeconds(10);

    private final BatchDelivery delivery;
    private final CrashRecovery crashRecovery;

    SingleMessageDelivery(BatchDelivery delivery, CrashRecovery crashRecovery) {
        this.delivery = delivery;
        this.crashRecovery = crashRecovery;
    }

    BatchOutcome deliver(
            DestinationWorker worker,
            OutboxConfig config,
            List<OutboxMessage> batch,
            Map<Long, String> undecodable,
            DeliveryContext context)
            throws Exception {
        List<OutboxMessage> rest = withoutCrashingMessages(worker, batch, undecodable, context);
        CrashSuspects crashSuspects = crashRecovery.of(worker, config);
        if (crashSuspects != null) {
            rest = deliverSuspects(
                    new SuspectDelivery(worker, config.dispatcher().delivery(), crashSuspects, context), rest);
        }
        return rest.isEmpty()
                ? BatchOutcome.EMPTY
                : delivery.deliver(config.dispatcher().delivery(), worker, rest, context);
    }

    /**
     * And without what cannot be read: neither has to wait for the destination. What follows them waits for the next claim, which
     * finds them set aside or in the way.
     */
    private List<OutboxMessage> withoutCrashingMessages(
            DestinationWorker worker, List<OutboxMessage> batch, Map<Long, String> undecodable, DeliveryContext context)
            throws Exception {
        List<OutboxMessage> rest = new ArrayList<>();
        List<SendResult.Failure> crashingMessages = new ArrayList<>();
        Set<String> held = new HashSet<>();
        for (OutboxMessage message : batch) {
            OutboxNode dead = crashRecovery.crashedNodeSending(message);
            if (dead != null) {
                String reason = Problem.CRASHED_ITS_PROCESS
                        .exception(dead.process(), dead.host())
                        .getMessage();
                crashingMessages.add(
                        new SendResult.Failure(message, new PublishException(Blame.MESSAGE, reason, null)));
                held.add(message.orderingKey());
            } else if (message.orderingKey() == null || !held.contains(message.orderingKey())) {
                rest.add(message);
            }
        }
        delivery.charge(worker, crashingMessages, undecodable, context);
        for (SendResult.Failure crashingMessage : crashingMessages) {
            crashRecovery.messageAbandoned(crashingMessage.message());
        }
        return rest;
    }

    /** @return what is left to be delivered together */
    private List<OutboxMessage> deliverSuspects(SuspectDelivery suspectDelivery, List<OutboxMessage> batch)
            throws Exception {
        List<OutboxMessage> crashSuspects = suspectDelivery.crashSuspects.among(batch);
        if (crashSuspects.isEmpty()) {
            return batch;
        }
        if (crashRecovery.isStopped()) {
            return List.of();
        }
        if (!crashRecovery.lockSingleDelivery(LOCK_WAIT)) {
            if (!crashRecovery.isStalled(STALLED_AFTER)) {
                return List.of();
            }
            // Another worker's send hangs; this one does not wait for that.
            suspectDelivery.crashSuspects.clearAll();
            return batch;
        }
        try {
            return suspectDelivery.run(crashSuspects, batch);
        } finally {
            crashRecovery.unlockSingleDelivery();
        }
    }

    /** Sends the suspects of one claim, one by one. */
    private final class SuspectDelivery {
        private final DestinationWorker worker;
        private final Guarantee guarantee;
        private final CrashSuspects crashSuspects;
        private final DeliveryContext context;

        private SuspectDelivery(
                DestinationWorker worker, Guarantee guarantee, CrashSuspects crashSuspects, DeliveryContext context) {
            this.worker = worker;
            this.guarantee = guarantee;
            this.crashSuspects = crashSuspects;
            this.context = context;
        }

        private List<OutboxMessage> run(List<OutboxMessage> some, List<OutboxMessage> batch) throws Exception {
            if (crashSuspects.takeUnreported()) {
                LOG.info(Problem.SINGLE_MESSAGE_DELIVERY.text(worker.label(), crashSuspects.most()));
            }
            long start = System.nanoTime();
            Set<String> blockedKeys = new HashSet<>();
            for (OutboxMessage suspect : some) {
                if (crashRecovery.isStopped() || System.nanoTime() - start > TIME_SLICE.toNanos()) {
                    return List.of();
                }
                if (!blockedKeys.contains(suspect.orderingKey())) {
                    if (!crashRecovery.recordSend(suspect)) {
                        return List.of();
                    }
                    if (delivery.deliver(guarantee, worker, List.of(suspect), context)
                            .settled()
                            .contains(suspect.sequence())) {
                        crashSuspects.sentSafely();
                    } else {
                        crashSuspects.clear(suspect);
                        if (suspect.orderingKey() != null) {
                            blockedKeys.add(suspect.orderingKey());
                        }
                    }
                }
            }
            return batch.stream()
                    .filter(message -> !some.contains(message))
                    .filter(message -> !blockedKeys.contains(message.orderingKey()))
                    .toList();
        }
    }
}
