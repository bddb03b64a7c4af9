package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.AbandonPolicy.Verdict;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.claim.UnreadableRow;
import dev.cdioutbox.internal.store.settle.UnsentSettlement;

/**
 * Settles what was not sent, in one transaction: charges failed messages, abandons unreadable rows, and ends expired messages.
 * Stores a {@link DeadLetterCopy} of each message that is given up.
 *
 * <p>This is not the transaction of the sends, so that a database that refuses a charge or a copy does not refuse what was sent
 * with it. A crash between the two repeats an attempt that is not charged. If another node has claimed the batch meanwhile
 * and meets the same failures, only the charges of the two nodes collide.
 */
final class UnsentTransaction {
    private final DeliveryContext context;
    private final Environment environment;
    private final RetryPolicy retryPolicy;
    private final DeadLetterCopy deadLetter;
    private final UnsentReport report;

    /**
     * What a transaction has written.
     *
     * @param settled without the messages that an operator has changed since the claim: they stay as they are
     * @param letters the dead-letter copies
     */
    private record Written(Unsent settled, List<NewMessage> letters, boolean isChangedByOperator) {}

    UnsentTransaction(DeliveryContext context) {
        this.context = context;
        this.environment = context.environment();
        retryPolicy = new RetryPolicy(
                context.config().retry(), () -> ThreadLocalRandom.current().nextDouble());
        deadLetter = new DeadLetterCopy(context);
        report = new UnsentReport(context);
    }

    /** Settles all of these. Call it outside of a transaction. */
    void settle(List<Failure> failures, List<UnreadableRow> unreadable, List<OutboxMessage> expired) throws Exception {
        if (failures.isEmpty() && unreadable.isEmpty() && expired.isEmpty()) {
            return;
        }
        Unsent unsent = new Unsent(
                charges(failures), unreadable.stream().map(retryPolicy::abandon).toList(), expired);
        Written written = environment.transactions().inNew(() -> {
            context.ownership().proveUnsent();
            return write(unsent);
        });
        report.tell(written.settled(), written.letters());
    }

    /**
     * Gives failed messages up in the current transaction, which delivers one of their followers.
     *
     * @return what to do after the commit
     */
    Runnable abandon(List<Failure> failures) {
        List<Charge> charges = failures.stream().map(this::abandon).toList();
        Written written = write(new Unsent(charges, List.of(), List.of()));
        if (written.isChangedByOperator()) {
            throw new IllegalStateException("an operator changed a message, and its follower would overtake it");
        }
        return () -> report.tell(written.settled(), written.letters());
    }

    /** Whether the failed message is to be held ({@link HeldMessages}). */
    boolean mustHold(Failure failure) {
        OutboxMessage message = failure.message();
        return retryPolicy.verdict(message, failure.cause().blame(), destinationWorks(message)) == Verdict.HOLD;
    }

    /**
     * A key is tried again as a whole: what is held waits no longer than the message behind it, whose delivery would prove that the
     * destination works.
     */
    private List<Charge> charges(List<Failure> failures) {
        List<Charge> charges = failures.stream().map(this::charge).toList();
        Map<String, Duration> delays = new HashMap<>();
        charges.stream()
                .filter(charge -> charge.key() != null && !charge.isAbandoned())
                .forEach(charge -> delays.put(charge.key(), charge.retry().delay()));
        return charges.stream()
                .map(charge -> charge.retry().isHeld() && charge.key() != null
                        ? charge.withDelay(delays.get(charge.key()))
                        : charge)
                .toList();
    }

    private Charge charge(Failure failure) {
        OutboxMessage message = failure.message();
        String error = FailureReason.of(failure.cause());
        return new Charge(
                message,
                retryPolicy.afterFailure(message, failure.cause(), error, destinationWorks(message)),
                failure.cause());
    }

    private Charge abandon(Failure failure) {
        String error = FailureReason.of(failure.cause());
        return new Charge(failure.message(), retryPolicy.abandon(failure.message(), error), failure.cause());
    }

    private boolean destinationWorks(OutboxMessage message) {
        Instant begin = context.claim().clock().readTime();
        return AbandonPolicy.works(
                context.destination().lastDelivery().get(), message.delivery().lastAttemptAt(), begin);
    }

    private Written write(Unsent unsent) {
        Map<Long, NewMessage> letters = deadLetter.isWanted() ? deadLetters(unsent) : new TreeMap<>();
        Set<Long> changedByOperator = context.settlements()
                .settleUnsent(new UnsentSettlement(
                        unsent.expired().stream().map(OutboxMessage::sequence).toList(),
                        unsent.retries(),
                        context.config().retention(),
                        letters));
        letters.keySet().removeAll(changedByOperator);
        return new Written(
                unsent.without(changedByOperator), List.copyOf(letters.values()), !changedByOperator.isEmpty());
    }

    /** By sequence. Nobody can copy an unreadable row. */
    private Map<Long, NewMessage> deadLetters(Unsent unsent) {
        Map<Long, NewMessage> letters = new TreeMap<>();
        unsent.expired().forEach(message -> letters.put(message.sequence(), deadLetter.ofExpired(message)));
        unsent.charges().stream()
                .filter(Charge::isAbandoned)
                .forEach(charge -> letters.put(charge.message().sequence(), deadLetter.ofAbandoned(charge)));
        return letters;
    }
}
