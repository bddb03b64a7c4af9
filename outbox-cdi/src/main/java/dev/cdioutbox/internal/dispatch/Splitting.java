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
 * Finds, by halves, the messages because of which a batch cannot be committed: some providers refuse a message only then.
 * As with {@link Sending}, several that fail after the last one that got through are nobody's fault. Belongs to one batch.
 */
final class Splitting {
    /** So many that fail alone, and none between them that gets through, are the destination's fault. */
    private static final int MOST_SUSPECTS = 8;

    private final Attempt attempt;
    private final BooleanSupplier stopped;
    private final List<Sent.Failure> suspects = new ArrayList<>();
    private final List<Sent.Failure> guilty = new ArrayList<>();
    private final Set<String> held = new HashSet<>();
    private boolean delivered;
    private CommitException lastFailure;
    private int refused;
    private RefusedException refusal;

    /**
     * @param stopped whether the application has begun to stop: then no further part is begun
     */
    Splitting(Attempt attempt, BooleanSupplier stopped) {
        this.attempt = attempt;
        this.stopped = stopped;
    }

    /**
     * Delivers what can be delivered.
     *
     * @return the messages to be charged
     * @throws CommitException if the destination is to blame: nothing got through
     * @throws RefusedException the same, if nothing found room
     * @throws Exception whatever an attempt throws before its commit; what was delivered until then stays so
     */
    List<Sent.Failure> run(List<OutboxMessage> batch) throws Exception {
        halve(batch);
        if (suspects.size() == 1 && delivered) {
            guilty.addAll(suspects);
        } else if (!delivered && !suspects.isEmpty()) {
            throw lastFailure;
        } else if (!delivered && refusal != null) {
            throw refusal;
        }
        return guilty;
    }

    private void halve(List<OutboxMessage> messages) throws Exception {
        int middle = messages.size() / 2;
        deliver(messages.subList(0, middle));
        deliver(messages.subList(middle, messages.size()));
    }

    private void deliver(List<OutboxMessage> all) throws Exception {
        List<OutboxMessage> messages = all.stream()
                .filter(Predicate.not(message -> held.contains(message.orderingKey())))
                .toList();
        if (messages.isEmpty() || refused >= Tally.MOST_REFUSED || stopped.getAsBoolean()) {
            return;
        }
        try {
            Sent sent = attempt.deliver(messages);
            hold(messages, sent);
            if (!sent.messages().isEmpty()) {
                delivered = true;
                guilty.addAll(suspects);
                suspects.clear();
            }
        } catch (CommitException e) {
            if (messages.size() > 1) {
                halve(messages);
            } else {
                suspect(messages.get(0), e);
            }
        } catch (Exception e) {
            refuse(messages, e);
        }
    }

    /** Others may find room; who is found guilty meanwhile is charged in any case. */
    private void refuse(List<OutboxMessage> messages, Exception failure) throws Exception {
        refusal = RefusedException.behind(failure);
        if (refusal == null) {
            throw failure;
        }
        refused += refusal.messages().size();
        messages.forEach(this::hold);
    }

    /** What an attempt left where it is must not be overtaken by the next one. */
    private void hold(List<OutboxMessage> messages, Sent sent) {
        Set<OutboxMessage> done = new HashSet<>(sent.messages());
        done.addAll(sent.expired());
        messages.stream().filter(Predicate.not(done::contains)).forEach(this::hold);
    }

    private void hold(OutboxMessage message) {
        if (message.orderingKey() != null) {
            held.add(message.orderingKey());
        }
    }

    private void suspect(OutboxMessage message, CommitException failure) throws CommitException {
        hold(message);
        lastFailure = failure;
        suspects.add(new Sent.Failure(
                message, new PublishException(Blame.UNKNOWN, "the commit of this message alone failed", failure)));
        if (suspects.size() >= MOST_SUSPECTS) {
            throw failure;
        }
    }

    /** Delivers some messages in a transaction of their own. */
    interface Attempt {
        /** @throws CommitException if everything went well until the commit */
        Sent deliver(List<OutboxMessage> messages) throws Exception;
    }
}
