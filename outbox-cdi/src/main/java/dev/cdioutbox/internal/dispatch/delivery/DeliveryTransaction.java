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
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.dispatch.container.Transactions.TimedOutException;
import dev.cdioutbox.internal.dispatch.delivery.BatchDelivery.Failure;
import dev.cdioutbox.internal.dispatch.delivery.FailurePolicy.End;
import dev.cdioutbox.internal.dispatch.delivery.SendLoop.SendLog;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.internal.store.UuidV7;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.Claim.Unreadable;
import dev.cdioutbox.internal.store.settle.SettlementStore;

/**
 * Sends messages and settles them, in one transaction or in two ({@link Way}). Finds out how that
 * ended, and notifies the listeners after the settlement.
 */
final class DeliveryTransaction {
    private static final Logger LOG = Logger.getLogger(DeliveryTransaction.class.getName());
    private static final int LETTER_REASON_LENGTH = 1000;

    private final Services services;
    private final String destination;
    private final String label;
    private final OutboxConfig config;
    private final Claim claim;
    private final Hold hold;

    private SendLog log = SendLog.NOTHING;
    private List<Charge> charges = List.of();
    /** The messages that the settlement ends because they are too old. */
    private List<OutboxMessage> expired = List.of();

    private List<NewMessage> storedDeadLetters = List.of();
    private Settlement.Result changes = new Settlement.Result(Set.of(), Set.of());
    /** Whether only the commit is left of the transaction of the sends. */
    private boolean isReadyToCommit;

    /**
     * How it ended.
     *
     * @param charged the messages that the settlement charges
     * @param expiredLater the expired messages that another transaction has to settle
     * @param discarded the messages that an operator discarded while they were sent
     * @param failure why the messages are not settled, or why the destination accepts no more; null if there is no reason
     */
    record Outcome(
            End end,
            SendLog log,
            Set<Long> charged,
            List<OutboxMessage> expiredLater,
            Set<Long> discarded,
            Exception failure) {}

    /** @param message null if it is unreadable */
    private record Charge(OutboxMessage message, Retry retry) {}

    DeliveryTransaction(Services services, String destination, OutboxConfig config, Claim claim, Hold hold) {
        this.services = services;
        this.destination = destination;
        this.label = config.label(destination);
        this.config = config;
        this.claim = claim;
        this.hold = hold;
    }

    /**
     * Delivers messages, and charges those of the batch that have failed. Call it once, outside of a transaction.
     *
     * @param progress what has become of the batch before
     */
    Outcome deliver(List<OutboxMessage> messages, BatchProgress progress) {
        long start = services.nanoTime();
        try {
            services.inNew(() -> {
                send(messages);
                if (!hold.way().settlesApart()) {
                    // After the sends, so that the broker's branch commits first. If the database's branch committed
                    // first, its row locks would be free while the message is only prepared. A lost transaction log
                    // would then lose the message.
                    settleSent(progress);
                    if (!changes.discarded().isEmpty()) {
                        // The rollback keeps them from consumers. Without it, later messages of their keys could
                        // overtake them after a lost claim.
                        throw new IllegalStateException("an operator discarded messages while they were sent");
                    }
                }
                isReadyToCommit = true;
            });
        } catch (Exception e) {
            return afterFailure(e);
        }
        if (hold.way().settlesApart()) {
            try {
                settleApart(progress);
            } catch (Exception e) {
                return outcome(End.FAILED, e);
            }
        }
        notifyListeners(Duration.ofNanos(services.nanoTime() - start));
        return outcome(log.end(), log.failure());
    }

    private void settleApart(BatchProgress progress) throws Exception {
        // A batch of expired messages alone has no transaction at the broker, and no number.
        boolean isAtBroker = !log.sent().isEmpty();
        services.inNew(() -> {
            if (isAtBroker) {
                hold.noteBatch();
            }
            settleSent(progress);
        });
        hold.committed(isAtBroker);
    }

    /** Charges messages, abandons unreadable ones, and ends expired ones, without a send. */
    void charge(List<Failure> failures, List<Unreadable> unreadable, List<OutboxMessage> expired) throws Exception {
        services.inNew(() -> settle(failures, unreadable, expired));
        notifyListeners(Duration.ZERO);
    }

    /**
     * Settles what was sent, and charges what failed. If a message that is given up becomes a dead letter, another transaction
     * gives it up: a database that refuses that insert must not refuse the others.
     */
    private void settleSent(BatchProgress progress) {
        boolean makesLetters = config.deadLetterOf(destination) != null;
        settle(
                makesLetters ? List.of() : progress.chargeable(log),
                List.of(),
                makesLetters ? List.of() : log.expiredMessages());
    }

    private void send(List<OutboxMessage> messages) throws Exception {
        SendLoop loop = new SendLoop(services, config.dispatcher().targetOf(destination), hold::open, claim.clock());
        log = loop.send(messages, services.transactions().timeLeft());
        if (!log.end().mayCommit()) {
            throw log.failure();
        }
    }

    /**
     * Settles and charges in one transaction and not in two: after a lost claim, each could make the other node's settlement
     * fail, and with at-least-once that costs one more copy.
     */
    private void settle(List<Failure> failures, List<Unreadable> unreadable, List<OutboxMessage> tooLate) {
        BackoffPolicy backoff = new BackoffPolicy(
                config.retry(), () -> ThreadLocalRandom.current().nextDouble());
        charges = new ArrayList<>();
        failures.forEach(f -> charges.add(
                new Charge(f.message(), backoff.charge(f.message(), f.cause(), FailureReason.of(f.cause())))));
        unreadable.forEach(row -> charges.add(new Charge(null, backoff.abandon(row))));
        expired = tooLate;
        Map<Long, NewMessage> letters = deadLetters();
        Settlement settlement = new Settlement(
                log.sent().stream().map(OutboxMessage::sequence).toList(),
                expired.stream().map(OutboxMessage::sequence).toList(),
                charges.stream().map(Charge::retry).toList(),
                config.retention(),
                config.dispatcher().shadowDestination(),
                log.brokerIds(),
                letters);
        changes = services.store().settlements().settle(settlement, claim.lease());
        storedDeadLetters = letters.entrySet().stream()
                .filter(letter -> !changes.leftUnchanged().contains(letter.getKey()))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** A copy of each message that this transaction gives up, for the dead-letter destination if there is one. */
    private Map<Long, NewMessage> deadLetters() {
        String target = config.deadLetterOf(destination);
        if (target == null) {
            return Map.of();
        }
        Map<Long, NewMessage> letters = new TreeMap<>();
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
        Instant now = claim.clock().now();
        Map<String, String> headers = new HashMap<>(message.context().headers());
        headers.put("deadLetterReason", ColumnText.truncated(ColumnText.printable(reason), LETTER_REASON_LENGTH));
        headers.put("deadLetterAttempts", String.valueOf(attempts));
        headers.put("deadLetterDestination", message.delivery().destination());
        headers.put("deadLetterCreatedAt", message.createdAt().toString());
        headers.put("deadLetterAt", now.toString());
        return NewMessage.copyOf(message, UuidV7.next(now.toEpochMilli()), target, headers);
    }

    private Outcome outcome(End end, Exception failure) {
        Set<Long> charged =
                charges.stream().map(charge -> charge.retry().sequence()).collect(Collectors.toSet());
        List<OutboxMessage> expiredLater = expired.isEmpty() ? log.expiredMessages() : List.of();
        return new Outcome(end, log, charged, expiredLater, changes.discarded(), failure);
    }

    private Outcome afterFailure(Exception e) {
        // First, because a time-out may have interrupted any step.
        if (TimedOutException.isCauseOf(e)) {
            return outcome(End.TOO_MANY, e);
        }
        if (isReadyToCommit) {
            // A transaction without the settlement has no branch in the database, which could tell more.
            return hold.way().settlesApart() ? outcome(End.COMMIT_REFUSED, e) : afterFailedCommit(e);
        }
        if (!changes.discarded().isEmpty()) {
            return outcome(End.DISCARDED, e);
        }
        return outcome(log.end().mayCommit() ? End.FAILED : log.end(), e);
    }

    /** A failed commit is not always a rollback: reads what it has left, and reports anything else. */
    private Outcome afterFailedCommit(Exception e) {
        // Without the others, and without what an operator has discarded meanwhile.
        List<Long> written = new ArrayList<>(
                log.through().stream().map(OutboxMessage::sequence).toList());
        charges.forEach(charge -> written.add(charge.retry().sequence()));
        written.removeAll(changes.leftUnchanged());
        Branch branch;
        try {
            branch = services.outside(() -> Branch.of(written, services.store().settlements()));
        } catch (Exception databaseIsAway) {
            databaseIsAway.addSuppressed(e);
            String unknown = OutboxCode.COMMIT_UNKNOWN.text(written.size());
            return outcome(End.COMMIT_UNKNOWN, new IllegalStateException(unknown, databaseIsAway));
        }
        if (branch.isRolledBack()) {
            return outcome(End.COMMIT_REFUSED, e);
        }
        String reason = FailureReason.of(e);
        if (branch.prepared() > 0) {
            LOG.warning(OutboxCode.COMMIT_IN_DOUBT.text(label, branch.prepared(), reason));
        }
        if (branch.committed() > 0) {
            LOG.warning(OutboxCode.COMMITTED_WITHOUT_BROKER.text(label, branch.committed(), reason));
        }
        services.notifyEach(l -> l.commitIncomplete(label, branch.committed(), branch.prepared()));
        return outcome(End.COMMIT_IN_DOUBT, e);
    }

    /**
     * What the rows of a transaction show of its branch in the database after the commit has failed: a transaction manager
     * that cannot reach one branch completes it later.
     *
     * @param committed the number of rows that do not wait any more; the broker's branch may have any state
     * @param prepared the number of rows that wait, locked, for the outcome
     */
    private record Branch(int committed, int prepared) {

        static Branch of(List<Long> written, SettlementStore settlements) {
            Set<Long> free = settlements.lockable(written);
            Set<Long> waiting = settlements.pending(written);
            int prepared =
                    (int) waiting.stream().filter(row -> !free.contains(row)).count();
            return new Branch(written.size() - waiting.size(), prepared);
        }

        boolean isRolledBack() {
            return committed == 0 && prepared == 0;
        }
    }

    private void notifyListeners(Duration took) {
        String shadow = config.dispatcher().shadowDestination();
        Instant now = claim.clock().now();
        List<OutboxMessage> sent = log.sent();
        if (!sent.isEmpty() && shadow == null) {
            services.notifyEach(l -> l.published(label, sent, now, took));
        } else if (!sent.isEmpty()) {
            services.notifyEach(l -> l.shadowed(label, shadow, sent));
        }
        sent.stream()
                .filter(message -> changes.discarded().contains(message.sequence()))
                .forEach(message -> services.notifyEach(l -> l.discardedTooLate(label, message)));
        expired.stream()
                .filter(message -> !changes.leftUnchanged().contains(message.sequence()))
                .forEach(message -> services.notifyEach(l -> l.expired(label, message)));
        if (!storedDeadLetters.isEmpty()) {
            services.notifyEach(l -> l.deadLettered(label, storedDeadLetters));
        }
        charges.stream()
                .filter(charge ->
                        !changes.leftUnchanged().contains(charge.retry().sequence()))
                .forEach(charge -> notifyOf(charge, now));
    }

    private void notifyOf(Charge charge, Instant now) {
        Retry retry = charge.retry();
        if (charge.message() == null) {
            LOG.severe(OutboxCode.UNREADABLE_ROW.text(label, retry.sequence(), retry.error()));
            services.notifyEach(l -> l.unreadable(label, retry.sequence(), retry.error()));
        } else {
            services.notifyEach(l -> l.charged(label, charge.message(), retry, now));
        }
    }
}
