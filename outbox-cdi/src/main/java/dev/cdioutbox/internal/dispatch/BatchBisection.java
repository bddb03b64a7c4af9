package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Finds by bisection the messages because of which a batch cannot be committed: some providers reject a message only at
 * the commit. Belongs to one batch.
 */
final class BatchBisection {
    /** So many that fail alone, and none between them that gets through, are the destination's fault. */
    private static final int MAX_UNPROVEN = 8;

    private final Attempt attempt;
    private final BooleanSupplier stopped;
    private final List<SendResult.Failure> unproven = new ArrayList<>();
    private final List<SendResult.Failure> toCharge = new ArrayList<>();
    private final Set<String> blockedKeys = new HashSet<>();
    private boolean delivered;
    private CommitException lastFailure;
    private int rejectedCount;
    private DestinationFullException lastRejection;

    /**
     * @param stopped whether the application has begun to stop: then no further part is begun
     */
    BatchBisection(Attempt attempt, BooleanSupplier stopped) {
        this.attempt = attempt;
        this.stopped = stopped;
    }

    /**
     * Delivers what can be delivered.
     *
     * @return the messages to be charged
     * @throws CommitException if the destination is to blame: nothing got through
     * @throws DestinationFullException the same, if nothing found room
     * @throws Exception whatever an attempt throws before its commit; what was delivered until then stays so
     */
    List<SendResult.Failure> bisect(List<OutboxMessage> batch) throws Exception {
        halve(batch);
        if (unproven.size() == 1 && delivered) {
            toCharge.addAll(unproven);
        } else if (!delivered && !unproven.isEmpty()) {
            throw lastFailure;
        } else if (!delivered && lastRejection != null) {
            throw lastRejection;
        }
        return toCharge;
    }

    private void halve(List<OutboxMessage> messages) throws Exception {
        int middle = messages.size() / 2;
        deliver(messages.subList(0, middle));
        deliver(messages.subList(middle, messages.size()));
    }

    private void deliver(List<OutboxMessage> all) throws Exception {
        List<OutboxMessage> messages = all.stream()
                .filter(Predicate.not(message -> blockedKeys.contains(message.orderingKey())))
                .toList();
        if (messages.isEmpty() || rejectedCount >= SendResultBuilder.MAX_REJECTED || stopped.getAsBoolean()) {
            return;
        }
        try {
            SendResult sent = attempt.deliver(messages);
            blockKey(messages, sent);
            if (!sent.messages().isEmpty()) {
                delivered = true;
                toCharge.addAll(unproven);
                unproven.clear();
            }
        } catch (CommitException e) {
            if (messages.size() > 1) {
                halve(messages);
            } else {
                addUnproven(messages.get(0), e);
            }
        } catch (Exception e) {
            reject(messages, e);
        }
    }

    /** Others may find room; who is found guilty meanwhile is charged in any case. */
    private void reject(List<OutboxMessage> messages, Exception failure) throws Exception {
        lastRejection = DestinationFullException.behind(failure);
        if (lastRejection == null) {
            throw failure;
        }
        rejectedCount += lastRejection.messages().size();
        messages.forEach(this::blockKey);
    }

    /** What an attempt left where it is must not be overtaken by the next one. */
    private void blockKey(List<OutboxMessage> messages, SendResult sent) {
        Set<OutboxMessage> done = new HashSet<>(sent.messages());
        done.addAll(sent.expired());
        messages.stream().filter(Predicate.not(done::contains)).forEach(this::blockKey);
    }

    private void blockKey(OutboxMessage message) {
        if (message.orderingKey() != null) {
            blockedKeys.add(message.orderingKey());
        }
    }

    private void addUnproven(OutboxMessage message, CommitException failure) throws CommitException {
        blockKey(message);
        lastFailure = failure;
        unproven.add(new SendResult.Failure(
                message, new PublishException(Blame.UNKNOWN, "the commit of this message alone failed", failure)));
        if (unproven.size() >= MAX_UNPROVEN) {
            throw failure;
        }
    }

    /** Delivers some messages in a transaction of their own. */
    interface Attempt {
        /** @throws CommitException if everything went well until the commit */
        SendResult deliver(List<OutboxMessage> messages) throws Exception;
    }
}
