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
 * Delivers what a claim holds. Behind a death, what can have been in flight then is sent alone first, and what was in flight
 * alone when one more process died is set aside.
 */
final class CarefulDelivery {
    private static final Logger LOG = Logger.getLogger(CarefulDelivery.class.getName());

    /** Then the claim ends, since a server that stops waits for what is under way; the next one goes on. */
    private static final Duration LONGEST = Duration.ofSeconds(1);

    /** Several others may have their turn meanwhile. */
    private static final Duration PATIENCE = LONGEST.multipliedBy(3);

    /** If no send was begun for so long, the last one hangs. */
    private static final Duration STUCK = Duration.ofSeconds(10);

    private final Delivery delivery;
    private final Caution caution;

    CarefulDelivery(Delivery delivery, Caution caution) {
        this.delivery = delivery;
        this.caution = caution;
    }

    /** @return the first message that the batch did not come to, or null */
    OutboxMessage deliver(
            Lane lane,
            OutboxConfig config,
            List<OutboxMessage> batch,
            Map<Long, String> undecodable,
            Aftermath aftermath)
            throws Exception {
        List<OutboxMessage> rest = withoutKillers(lane, batch, undecodable, aftermath);
        Suspects suspects = caution.of(lane, config);
        if (suspects != null) {
            rest = alone(new Course(lane, config.dispatcher().delivery(), suspects, aftermath), rest);
        }
        return rest.isEmpty()
                ? null
                : delivery.deliver(config.dispatcher().delivery(), lane, rest, aftermath)
                        .next();
    }

    /**
     * And without what cannot be read: neither has to wait for the destination. What follows them waits for the next claim, which
     * finds them set aside or in the way.
     */
    private List<OutboxMessage> withoutKillers(
            Lane lane, List<OutboxMessage> batch, Map<Long, String> undecodable, Aftermath aftermath) throws Exception {
        List<OutboxMessage> rest = new ArrayList<>();
        List<Sent.Failure> killers = new ArrayList<>();
        Set<String> held = new HashSet<>();
        for (OutboxMessage message : batch) {
            OutboxNode dead = caution.killedBy(message);
            if (dead != null) {
                String reason = Problem.KILLED_ITS_PROCESS
                        .exception(dead.process(), dead.host())
                        .getMessage();
                killers.add(new Sent.Failure(message, new PublishException(Blame.MESSAGE, reason, null)));
                held.add(message.orderingKey());
            } else if (message.orderingKey() == null || !held.contains(message.orderingKey())) {
                rest.add(message);
            }
        }
        delivery.charge(lane, killers, undecodable, aftermath);
        for (Sent.Failure killer : killers) {
            caution.judged(killer.message());
        }
        return rest;
    }

    /** @return what is left to be delivered together */
    private List<OutboxMessage> alone(Course course, List<OutboxMessage> batch) throws Exception {
        List<OutboxMessage> suspects = course.suspects.among(batch);
        if (suspects.isEmpty()) {
            return batch;
        }
        if (caution.isStopped()) {
            return List.of();
        }
        if (!caution.enter(PATIENCE)) {
            if (!caution.isStuck(STUCK)) {
                return List.of();
            }
            // Another lane's send hangs; this one does not wait for that.
            course.suspects.clearAll();
            return batch;
        }
        try {
            return course.run(suspects, batch);
        } finally {
            caution.leave();
        }
    }

    /** Through the suspects of one claim. Blames as {@link Splitting} does: who fails is charged if another one gets through. */
    private final class Course {
        private final Lane lane;
        private final Guarantee guarantee;
        private final Suspects suspects;
        private final Aftermath aftermath;
        private final Set<OutboxMessage> done = new HashSet<>();
        private final Set<String> held = new HashSet<>();
        private final List<Sent.Failure> failed = new ArrayList<>();
        private final List<OutboxMessage> refused = new ArrayList<>();
        private RefusedException refusal;
        private boolean delivered;

        private Course(Lane lane, Guarantee guarantee, Suspects suspects, Aftermath aftermath) {
            this.lane = lane;
            this.guarantee = guarantee;
            this.suspects = suspects;
            this.aftermath = aftermath;
        }

        private List<OutboxMessage> run(List<OutboxMessage> some, List<OutboxMessage> batch) throws Exception {
            if (suspects.isNews()) {
                LOG.info(Problem.CAREFUL.text(lane.label(), suspects.most()));
            }
            long start = System.nanoTime();
            for (OutboxMessage suspect : some) {
                if (caution.isStopped() || System.nanoTime() - start > LONGEST.toNanos()) {
                    return List.of();
                }
                if (!held.contains(suspect.orderingKey())) {
                    if (!caution.sending(suspect)) {
                        return List.of();
                    }
                    send(suspect);
                }
            }
            if (delivered) {
                charge();
            }
            List<OutboxMessage> rest = batch.stream()
                    .filter(message -> !done.contains(message) && !refused.contains(message))
                    .filter(message -> isFailed(message) || !held.contains(message.orderingKey()))
                    .toList();
            if (refusal != null && !delivered && rest.isEmpty()) {
                throw new RefusedException(refused, null, refusal);
            }
            return rest;
        }

        private void send(OutboxMessage suspect) throws Exception {
            try {
                Sent sent = delivery.deliver(guarantee, lane, List.of(suspect), aftermath);
                suspects.survived();
                done.add(suspect);
                if (!sent.messages().isEmpty()) {
                    delivered = true;
                    charge();
                } else if (sent.expired().isEmpty()) {
                    hold(suspect);
                }
            } catch (Exception e) {
                fail(suspect, e);
            }
        }

        private void fail(OutboxMessage suspect, Exception e) throws Exception {
            RefusedException noRoom = RefusedException.behind(e);
            if (noRoom != null) {
                refuse(suspect, noRoom);
                return;
            }
            PublishException cause = ofTheMessage(e);
            if (cause == null) {
                throw e;
            }
            suspects.clear(suspect);
            hold(suspect);
            failed.add(new Sent.Failure(suspect, cause));
            if (failed.size() > 1) {
                throw e;
            }
        }

        /** The broker did not take it, and so nobody knows whether it kills. */
        private void refuse(OutboxMessage suspect, RefusedException why) throws RefusedException {
            refusal = why;
            hold(suspect);
            refused.add(suspect);
            if (refused.size() == Tally.MOST_REFUSED) {
                throw new RefusedException(refused, suspect, why);
            }
        }

        private void charge() throws Exception {
            delivery.charge(lane, failed, Map.of(), aftermath);
            failed.forEach(failure -> done.add(failure.message()));
            failed.clear();
        }

        private void hold(OutboxMessage message) {
            if (message.orderingKey() != null) {
                held.add(message.orderingKey());
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
                return known.blame() == Blame.DESTINATION || known.blame() == Blame.NO_ROOM ? null : known;
            }
        }
        return null;
    }
}
