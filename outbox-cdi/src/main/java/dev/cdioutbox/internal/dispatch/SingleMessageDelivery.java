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

    /** @return the first message that the batch did not come to, or null */
    OutboxMessage deliver(
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
                ? null
                : delivery.deliver(config.dispatcher().delivery(), worker, rest, context)
                        .next();
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

    /** Through the suspects of one claim. Blames as {@link BatchBisection} does: who fails is charged if another one gets through. */
    private final class SuspectDelivery {
        private final DestinationWorker worker;
        private final Guarantee guarantee;
        private final CrashSuspects crashSuspects;
        private final DeliveryContext context;
        private final Set<OutboxMessage> completed = new HashSet<>();
        private final Set<String> blockedKeys = new HashSet<>();
        private final List<SendResult.Failure> failed = new ArrayList<>();
        private final List<OutboxMessage> rejected = new ArrayList<>();
        private DestinationFullException lastRejection;
        private boolean delivered;

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
            for (OutboxMessage suspect : some) {
                if (crashRecovery.isStopped() || System.nanoTime() - start > TIME_SLICE.toNanos()) {
                    return List.of();
                }
                if (!blockedKeys.contains(suspect.orderingKey())) {
                    if (!crashRecovery.recordSend(suspect)) {
                        return List.of();
                    }
                    send(suspect);
                }
            }
            if (delivered) {
                charge();
            }
            List<OutboxMessage> rest = batch.stream()
                    .filter(message -> !completed.contains(message) && !rejected.contains(message))
                    .filter(message -> isFailed(message) || !blockedKeys.contains(message.orderingKey()))
                    .toList();
            if (lastRejection != null && !delivered && rest.isEmpty()) {
                throw new DestinationFullException(rejected, null, lastRejection);
            }
            return rest;
        }

        private void send(OutboxMessage suspect) throws Exception {
            try {
                SendResult sent = delivery.deliver(guarantee, worker, List.of(suspect), context);
                crashSuspects.sentSafely();
                completed.add(suspect);
                if (!sent.messages().isEmpty()) {
                    delivered = true;
                    charge();
                } else if (sent.expired().isEmpty()) {
                    blockKey(suspect);
                }
            } catch (Exception e) {
                fail(suspect, e);
            }
        }

        private void fail(OutboxMessage suspect, Exception e) throws Exception {
            DestinationFullException noRoom = DestinationFullException.behind(e);
            if (noRoom != null) {
                reject(suspect, noRoom);
                return;
            }
            PublishException cause = ofTheMessage(e);
            if (cause == null) {
                throw e;
            }
            crashSuspects.clear(suspect);
            blockKey(suspect);
            failed.add(new SendResult.Failure(suspect, cause));
            if (failed.size() > 1) {
                throw e;
            }
        }

        /** The broker rejected the message, so it is not known whether it crashes the process. */
        private void reject(OutboxMessage suspect, DestinationFullException why) throws DestinationFullException {
            lastRejection = why;
            blockKey(suspect);
            rejected.add(suspect);
            if (rejected.size() == SendResultBuilder.MAX_REJECTED) {
                throw new DestinationFullException(rejected, suspect, why);
            }
        }

        private void charge() throws Exception {
            delivery.charge(worker, failed, Map.of(), context);
            failed.forEach(failure -> completed.add(failure.message()));
            failed.clear();
        }

        private void blockKey(OutboxMessage message) {
            if (message.orderingKey() != null) {
                blockedKeys.add(message.orderingKey());
            }
        }

        private boolean isFailed(OutboxMessage message) {
            return failed.stream().anyMatch(failure -> failure.message() == message);
        }
    }

    /** What may be the message's own fault, and may be the destination's; null if it is plainly not the message's. */
    private static PublishException ofTheMessage(Exception e) {
        for (Throwable link = e; link != null; link = link.getCause()) {
            if (link instanceof CommitException) {
                return new PublishException(Blame.UNKNOWN, "the commit of this message alone failed", e);
            }
            if (link instanceof PublishException known) {
                return known.blame() == Blame.DESTINATION || known.blame() == Blame.DESTINATION_FULL ? null : known;
            }
        }
        return null;
    }
}
