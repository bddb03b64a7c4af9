package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Logger;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.AbandonPolicy.Verdict;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.UnsentSettlement;
import dev.cdioutbox.internal.store.claim.UnreadableRow;
import dev.cdioutbox.spi.DestinationId;

/**
 * Settles what was not sent, in one transaction: charges failed messages, abandons unreadable rows, and ends expired messages.
 * Stores a {@link DeadLetterCopy} of each message that is given up.
 *
 * <p>This is not the transaction of the sends, so that a database that refuses a charge or a copy does not refuse what was sent
 * with it. A crash between the two repeats an attempt that is not charged. If another node has claimed the batch meanwhile
 * and meets the same failures, only the charges of the two nodes collide.
 */
final class UnsentTransaction {
    private static final Logger LOG = Logger.getLogger(UnsentTransaction.class.getName());

    private final DeliveryContext context;
    private final Environment environment;
    private final DestinationId id;
    private final RetryPolicy retryPolicy;
    private final DeadLetterCopy deadLetter;

    /** What a transaction settles. */
    private record Unsent(List<Charge> charges, List<Retry> unreadable, List<OutboxMessage> expired) {

        List<Retry> retries() {
            return Stream.concat(charges.stream().map(Charge::retry), unreadable.stream())
                    .toList();
        }
    }

    /**
     * What a transaction has settled.
     *
     * @param letters the dead-letter copies
     * @param changedByOperator the messages that an operator has changed since the claim: they stay as they are
     */
    private record Written(Unsent unsent, List<NewMessage> letters, Set<Long> changedByOperator) {

        boolean has(long sequence) {
            return !changedByOperator.contains(sequence);
        }
    }

    UnsentTransaction(DeliveryContext context) {
        this.context = context;
        this.environment = context.environment();
        this.id = context.id();
        retryPolicy = new RetryPolicy(
                context.config().retry(), () -> ThreadLocalRandom.current().nextDouble());
        deadLetter = new DeadLetterCopy(context);
    }

    /** Settles all of these. Call it outside of a transaction. */
    void settle(List<Failure> failures, List<UnreadableRow> unreadable, List<OutboxMessage> expired) throws Exception {
        if (failures.isEmpty() && unreadable.isEmpty() && expired.isEmpty()) {
            return;
        }
        Unsent unsent = new Unsent(
                failures.stream().map(this::charge).toList(),
                unreadable.stream().map(retryPolicy::abandon).toList(),
                expired);
        Written written = environment.transactions().inNew(() -> {
            context.ownership().proveUnsent();
            return write(unsent);
        });
        notifyOf(written);
    }

    /**
     * Gives failed messages up in the current transaction, which delivers one of their followers.
     *
     * @return what to do after the commit
     */
    Runnable abandon(List<Failure> failures) {
        List<Charge> charges = failures.stream().map(this::abandon).toList();
        Written written = write(new Unsent(charges, List.of(), List.of()));
        if (!written.changedByOperator().isEmpty()) {
            throw new IllegalStateException("an operator changed a message, and its follower would overtake it");
        }
        return () -> notifyOf(written);
    }

    /** Whether the failed message is to be held ({@link HeldMessages}). */
    boolean mustHold(Failure failure) {
        OutboxMessage message = failure.message();
        return retryPolicy.verdict(message, failure.cause().blame(), destinationWorks(message)) == Verdict.HOLD;
    }

    private Charge charge(Failure failure) {
        OutboxMessage message = failure.message();
        String error = FailureReason.of(failure.cause());
        return new Charge(
                message, retryPolicy.afterFailure(message, failure.cause(), error, destinationWorks(message)));
    }

    private Charge abandon(Failure failure) {
        return new Charge(failure.message(), retryPolicy.abandon(failure.message(), FailureReason.of(failure.cause())));
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
        return new Written(unsent, List.copyOf(letters.values()), changedByOperator);
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

    private void notifyOf(Written written) {
        Unsent unsent = written.unsent();
        unsent.expired().stream()
                .filter(message -> written.has(message.sequence()))
                .forEach(message -> environment.notifyEach(l -> l.expired(id, message)));
        if (!written.letters().isEmpty()) {
            environment.notifyEach(l -> l.deadLettered(id, written.letters()));
        }
        Instant now = context.now();
        unsent.charges().stream()
                .filter(charge -> written.has(charge.message().sequence()))
                .forEach(charge -> notifyOf(charge, now));
        unsent.unreadable().stream().filter(row -> written.has(row.sequence())).forEach(this::notifyOfUnreadable);
    }

    private void notifyOf(Charge charge, Instant now) {
        environment.notifyEach(l -> l.charged(id, charge.message(), charge.retry(), now));
        if (charge.retry().isHeld()) {
            HeldMessages.report(context, charge, now);
        }
    }

    private void notifyOfUnreadable(Retry row) {
        LOG.severe(OutboxCode.UNREADABLE_ROW.text(id, row.sequence(), row.error()));
        environment.notifyEach(l -> l.unreadable(id, row.sequence(), row.error()));
    }
}
