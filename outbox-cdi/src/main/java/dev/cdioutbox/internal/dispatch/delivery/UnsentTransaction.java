package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.delivery.AbandonPolicy.Verdict;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnership;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.UnsentSettlement;
import dev.cdioutbox.internal.store.UuidV7;
import dev.cdioutbox.internal.store.claim.UnreadableRow;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Settles what was not sent, in one transaction: charges failed messages, abandons unreadable rows, and ends expired messages.
 * Stores a dead-letter copy of each message that is given up.
 *
 * <p>Apart from the transaction of the sends, so that a database that refuses a charge or a copy does not refuse what was sent
 * with it. A crash between the two repeats an attempt that is not charged. And if another node has claimed the batch meanwhile
 * and meets the same failures, only the charges of the two nodes collide.
 */
final class UnsentTransaction {
    private static final Logger LOG = Logger.getLogger(UnsentTransaction.class.getName());
    private static final int LETTER_REASON_LENGTH = 1000;

    private final DeliveryContext context;
    private final Environment environment;
    private final DestinationId id;
    private final DestinationOwnership ownership;
    private final RetryPolicy retryPolicy;

    /** @param message null if it is unreadable */
    private record Charge(OutboxMessage message, Retry retry) {}

    /** @param unchanged the messages that an operator has changed since the claim */
    private record Written(
            List<Charge> charges, List<OutboxMessage> expired, List<NewMessage> letters, Set<Long> unchanged) {}

    UnsentTransaction(DeliveryContext context) {
        this.context = context;
        this.environment = context.environment();
        this.id = context.id();
        this.ownership = context.ownership();
        retryPolicy = new RetryPolicy(
                context.config().retry(), () -> ThreadLocalRandom.current().nextDouble());
    }

    /** Call it outside of a transaction. */
    void settle(List<Failure> failures, List<UnreadableRow> unreadable, List<OutboxMessage> expired) throws Exception {
        if (failures.isEmpty() && unreadable.isEmpty() && expired.isEmpty()) {
            return;
        }
        List<Charge> charges = charges(failures, unreadable);
        Written written = environment.transactions().inNew(() -> {
            ownership.proveUnsent();
            return write(charges, expired);
        });
        notifyOf(written);
    }

    /**
     * Gives failed messages up in the current transaction, which delivers one of their followers.
     *
     * @return what to do after the commit
     */
    Runnable abandon(List<Failure> failures) {
        Written written = write(
                failures.stream()
                        .map(f ->
                                new Charge(f.message(), retryPolicy.abandon(f.message(), FailureReason.of(f.cause()))))
                        .toList(),
                List.of());
        if (!written.unchanged().isEmpty()) {
            throw new IllegalStateException("an operator changed a message, and its follower would overtake it");
        }
        return () -> notifyOf(written);
    }

    /** Whether this failure is the last one that the message may have, but the destination may be at fault. */
    boolean mustHold(Failure failure) {
        Blame blame = failure.cause().blame();
        return retryPolicy.verdict(failure.message(), blame, destinationWorks(failure.message())) == Verdict.HOLD;
    }

    private boolean destinationWorks(OutboxMessage message) {
        Instant begin = context.claim().clock().readTime();
        return AbandonPolicy.works(
                context.destination().lastDelivery().get(), message.delivery().lastAttemptAt(), begin);
    }

    private Written write(List<Charge> charges, List<OutboxMessage> expired) {
        Map<Long, NewMessage> letters = deadLetters(charges, expired);
        UnsentSettlement unsent = new UnsentSettlement(
                expired.stream().map(OutboxMessage::sequence).toList(),
                charges.stream().map(Charge::retry).toList(),
                context.config().retention(),
                letters);
        Set<Long> unchanged = context.settlements().settleUnsent(unsent);
        letters.keySet().removeAll(unchanged);
        return new Written(charges, expired, List.copyOf(letters.values()), unchanged);
    }

    private void notifyOf(Written written) {
        Set<Long> unchanged = written.unchanged();
        written.expired().stream()
                .filter(message -> !unchanged.contains(message.sequence()))
                .forEach(message -> environment.notifyEach(l -> l.expired(id, message)));
        if (!written.letters().isEmpty()) {
            environment.notifyEach(l -> l.deadLettered(id, written.letters()));
        }
        Instant now = context.now();
        written.charges().stream()
                .filter(charge -> !unchanged.contains(charge.retry().sequence()))
                .forEach(charge -> notifyOf(charge, now));
    }

    private List<Charge> charges(List<Failure> failures, List<UnreadableRow> unreadable) {
        List<Charge> charges = new ArrayList<>();
        failures.forEach(f -> charges.add(new Charge(
                f.message(),
                retryPolicy.afterFailure(
                        f.message(), f.cause(), FailureReason.of(f.cause()), destinationWorks(f.message())))));
        unreadable.forEach(row -> charges.add(new Charge(null, retryPolicy.abandon(row))));
        return charges;
    }

    /** A copy of each message that this transaction gives up, for the dead-letter destination if there is one. */
    private Map<Long, NewMessage> deadLetters(List<Charge> charges, List<OutboxMessage> expired) {
        Map<Long, NewMessage> letters = new TreeMap<>();
        String target = ownership.publisher().deadLetter();
        if (target == null) {
            return letters;
        }
        expired.forEach(message -> letters.put(
                message.sequence(),
                deadLetter(message, "expired", message.delivery().attempts(), target)));
        charges.stream()
                .filter(charge -> charge.message() != null && charge.retry().status() == OutboxStatus.ABANDONED)
                .forEach(charge -> letters.put(
                        charge.message().sequence(),
                        deadLetter(
                                charge.message(),
                                charge.retry().error(),
                                charge.retry().attempts(),
                                target)));
        return letters;
    }

    private NewMessage deadLetter(OutboxMessage message, String reason, int attempts, String target) {
        Instant now = context.now();
        Map<String, String> headers = new HashMap<>(message.context().headers());
        headers.put("deadLetterReason", context.settlements().columnText().of(reason, LETTER_REASON_LENGTH));
        headers.put("deadLetterAttempts", String.valueOf(attempts));
        headers.put("deadLetterDestination", message.delivery().destination());
        headers.put("deadLetterCreatedAt", message.createdAt().toString());
        headers.put("deadLetterAt", now.toString());
        return NewMessage.copyOf(message, UuidV7.next(now.toEpochMilli()), target, headers);
    }

    private void notifyOf(Charge charge, Instant now) {
        Retry retry = charge.retry();
        if (charge.message() == null) {
            LOG.severe(OutboxCode.UNREADABLE_ROW.text(id, retry.sequence(), retry.error()));
            environment.notifyEach(l -> l.unreadable(id, retry.sequence(), retry.error()));
        } else {
            environment.notifyEach(l -> l.charged(id, charge.message(), retry, now));
        }
        if (retry.isHeld()) {
            notifyOfFailingDestination(charge, now);
        }
    }

    private void notifyOfFailingDestination(Charge charge, Instant now) {
        Retry retry = charge.retry();
        Finding finding = OutboxCode.DESTINATION_FAILING.finding(
                id,
                charge.message().id(),
                retry.error(),
                Duration.ofSeconds(retry.delay().toSeconds()));
        // Another node may have the next attempt, or an operator may discard the message.
        LongSupplier nanos = environment.nanos();
        long overdue = nanos.getAsLong() + retry.delay().multipliedBy(2).toNanos();
        // Kept until the next one, so it must not keep the claim, with its messages.
        AtomicReference<Instant> lastDelivery = context.destination().lastDelivery();
        BooleanSupplier isOver =
                () -> AbandonPolicy.works(lastDelivery.get(), now, now) || nanos.getAsLong() - overdue > 0;
        environment.notifyEach(l -> l.held(id, finding, isOver));
    }
}
