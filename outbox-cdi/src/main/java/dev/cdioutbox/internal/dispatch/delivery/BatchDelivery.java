package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.TransactionTimedOutException;
import dev.cdioutbox.internal.dispatch.worker.CommitOutcomeUnknownException;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Publishes one batch and settles it. Exactly-once uses one transaction for both steps, at-least-once uses two.
 *
 * <p>After a failed send or commit, this class probes the destination. If the destination answers, the message is at
 * fault: this class charges the message, and sends the rest of the batch. Otherwise no message is charged, and the
 * worker backs off. One thread uses a delivery.
 */
public final class BatchDelivery {
    private static final Logger LOG = Logger.getLogger(BatchDelivery.class.getName());

    /** An attempt and a second one without the failed messages. The partitions of a claim wait no longer than this. */
    private static final Duration MAX_BATCH_SEND_TIME = DeliveryAttempt.MAX_SEND_TIME.multipliedBy(2);

    private final DeliveryContext context;
    private final Environment environment;
    private final List<OutboxMessage> batch;
    private final Set<Long> settled = new HashSet<>();
    private final Map<Long, Failure> failed = new LinkedHashMap<>();
    private final Set<Long> charged = new HashSet<>();
    private PublishException destinationFull;
    private boolean commitIncomplete;
    private boolean isBisected;
    private long sendNanos;

    /** @param batch the messages; each key in order and without a gap */
    public BatchDelivery(DeliveryContext context, List<OutboxMessage> batch) {
        this.context = context;
        this.environment = context.environment();
        this.batch = batch;
    }

    /** A failed message with the cause. */
    public record Failure(OutboxMessage message, PublishException cause) {}

    /** Settles failed and unreadable messages without a send, in a new transaction. */
    public static void charge(List<Failure> failures, Map<Long, String> unreadable, DeliveryContext context)
            throws Exception {
        if (!failures.isEmpty() || !unreadable.isEmpty()) {
            DeliveryAttempt attempt = new DeliveryAttempt(context, List.of());
            context.environment().inNew(() -> attempt.settle(failures, unreadable));
            attempt.notifyListeners();
        }
    }

    /**
     * Delivers the batch, in as many transactions as its failures need.
     *
     * @throws Exception if the destination or the database is to blame; earlier commits of this batch remain
     */
    public void deliver() throws Exception {
        try {
            send(batch);
            if (destinationFull != null) {
                throw destinationFull;
            }
        } catch (Exception e) {
            try {
                chargeFailed();
            } catch (Exception another) {
                e.addSuppressed(another);
            }
            throw e;
        }
        chargeFailed();
    }

    /** Whether each message is published or expired, or was discarded by an operator. */
    public boolean isSettled() {
        return settled.size() == batch.size();
    }

    /** The first unsettled message that has not failed and waits for no failed one; null if there is none. */
    public OutboxMessage firstLeft() {
        return commitIncomplete
                ? null
                : inKeyOrder(m -> !failed.containsKey(m)).stream().findFirst().orElse(null);
    }

    /**
     * Sends messages in one transaction. After a failure, this method calls itself, until each transaction has
     * committed. The recursion ends, since each call has fewer messages than the one before: it leaves out a failed or
     * discarded message, or takes half of them.
     */
    private void send(List<OutboxMessage> some) throws Exception {
        Set<Long> wanted = sequences(some);
        List<OutboxMessage> messages = inKeyOrder(m -> wanted.contains(m) && !failed.containsKey(m));
        if (messages.isEmpty() || environment.isStopping() && !settled.isEmpty()) {
            return;
        }
        DeliveryAttempt attempt = new DeliveryAttempt(context, messages);
        try {
            environment.inNew(() -> sendAndSettle(attempt));
        } catch (Exception e) {
            recover(attempt, messages, e);
            return;
        }
        if (context.guarantee() == Guarantee.AT_LEAST_ONCE) {
            settleInNew(attempt);
        } else {
            settled(attempt);
        }
    }

    /** The broker has the messages. A time-out must not end this, since the next run would send all of them again. */
    private void settleInNew(DeliveryAttempt attempt) throws Exception {
        try {
            environment.inNew(() -> settle(attempt));
        } catch (Exception e) {
            List<DeliveryAttempt> halves = attempt.halves();
            if (!TransactionTimedOutException.isCauseOf(e) || halves.isEmpty()) {
                throw e;
            }
            reportSplit(attempt.through().size(), e);
            for (DeliveryAttempt half : halves) {
                settleInNew(half);
            }
            return;
        }
        settled(attempt);
    }

    private void settled(DeliveryAttempt attempt) {
        settled.addAll(sequences(attempt.through()));
        charged.addAll(sequences(attempt.charged()));
        attempt.notifyListeners();
    }

    private void sendAndSettle(DeliveryAttempt attempt) throws Exception {
        try {
            attempt.send(environment.transactions().timeLeft());
        } finally {
            sendNanos += attempt.sendNanos();
            attempt.failures().forEach(f -> failed.put(f.message().sequence(), f));
            destinationFull = destinationFull == null ? attempt.destinationFull() : destinationFull;
        }
        // Sending first makes the broker's branch commit first. If the database's branch committed first, its row
        // locks would be free while the message is only prepared. A lost transaction log would then lose the message.
        if (context.guarantee() == Guarantee.EXACTLY_ONCE) {
            settle(attempt);
            if (!attempt.discarded().isEmpty()) {
                // The rollback keeps the discarded messages from consumers. Without the rollback, later messages of
                // the key could overtake them after a lost claim.
                throw new IllegalStateException("an operator discarded messages while they were sent");
            }
        }
        attempt.readyToCommit();
    }

    private void settle(DeliveryAttempt attempt) {
        attempt.settle(chargeable(sequences(attempt.through())), Map.of());
    }

    /** A time-out comes first: it may have interrupted any of the steps that the other cases ask for. */
    private void recover(DeliveryAttempt attempt, List<OutboxMessage> messages, Exception e) throws Exception {
        if (TransactionTimedOutException.isCauseOf(e)) {
            timedOut(attempt, e);
        } else if (attempt.isReadyToCommit()) {
            commitFailed(attempt, messages, e);
        } else if (!attempt.discarded().isEmpty()) {
            settled.addAll(attempt.discarded());
            // The next attempt may find room.
            destinationFull = null;
            send(messages);
        } else if (attempt.isRefused()) {
            sendFailed(attempt, e);
        } else {
            throw e;
        }
    }

    /** The transaction is rolled back, since the broker may have a message that failed. */
    private void sendFailed(DeliveryAttempt attempt, Exception e) throws Exception {
        if (attempt.suspect() != null) {
            // Did the message break its connection, or is the destination away?
            probe(e);
            failed.put(attempt.suspect().message().sequence(), attempt.suspect());
        }
        if (isLate()) {
            // Other messages fail in each attempt, so the messages are not to blame.
            throw e;
        }
        send(attempt.through());
        if (mayContinue()) {
            send(attempt.untried());
        }
    }

    /** Fewer messages take less time. No message is charged: the broker or the database is slow. */
    private void timedOut(DeliveryAttempt attempt, Exception e) throws Exception {
        if (attempt.through().size() < 2) {
            throw e;
        }
        sendInHalves(attempt.through(), e);
    }

    /** Some providers refuse a message only at the commit. Bisection finds that message. */
    private void commitFailed(DeliveryAttempt attempt, List<OutboxMessage> messages, Exception e) throws Exception {
        resolveFailedCommit(messages, e);
        if (commitIncomplete) {
            return;
        }
        List<OutboxMessage> through = attempt.through();
        if (through.isEmpty()) {
            throw e;
        }
        probe(e);
        if (through.size() > 1) {
            sendInHalves(through, e);
            return;
        }
        OutboxMessage message = through.get(0);
        PublishException cause = new PublishException(Blame.UNKNOWN, "the commit of this message alone failed", e);
        failed.put(message.sequence(), new Failure(message, cause));
    }

    /** Once for a batch. */
    private void reportSplit(int messages, Exception e) {
        if (!isBisected) {
            isBisected = true;
            LOG.warning(Problem.BATCH_SPLIT.text(context.label(), messages, Problem.reason(e)));
        }
    }

    private void sendInHalves(List<OutboxMessage> messages, Exception e) throws Exception {
        reportSplit(messages.size(), e);
        int middle = messages.size() / 2;
        send(messages.subList(0, middle));
        if (mayContinue()) {
            send(messages.subList(middle, messages.size()));
        }
    }

    /** @throws Exception the failure, if the destination does not answer in a new transaction either */
    private void probe(Exception failure) throws Exception {
        try {
            environment.probeInNew(context.target(), context.guarantee());
        } catch (Exception ill) {
            failure.addSuppressed(ill);
            throw failure;
        }
    }

    /**
     * Finds out what a failed commit has left, and reports anything but a rollback. If a branch was unreachable, the
     * transaction manager completes that branch later, and the next claim reads the unsettled messages.
     */
    private void resolveFailedCommit(List<OutboxMessage> messages, Exception e) throws CommitOutcomeUnknownException {
        commitIncomplete = true;
        CommitOutcome outcome;
        try {
            outcome = environment.outside(() -> CommitOutcome.of(messages, environment.store()));
        } catch (Exception databaseIsAway) {
            databaseIsAway.addSuppressed(e);
            throw new CommitOutcomeUnknownException(databaseIsAway);
        }
        String reason = Problem.reason(e);
        int inDoubt = outcome.inDoubt().size();
        int committed = outcome.settled().size();
        if (inDoubt > 0) {
            LOG.warning(Problem.COMMIT_IN_DOUBT.text(context.label(), inDoubt, reason));
        }
        if (committed > 0) {
            LOG.warning(Problem.COMMITTED_WITHOUT_BROKER.text(context.label(), committed, reason));
        }
        commitIncomplete = !outcome.isRollback();
        if (commitIncomplete) {
            environment.notifyEach(l -> l.commitIncomplete(context.label(), committed, inDoubt));
        }
    }

    private boolean mayContinue() {
        return !isLate() && !commitIncomplete && destinationFull == null;
    }

    private boolean isLate() {
        return sendNanos > MAX_BATCH_SEND_TIME.toNanos();
    }

    /** Charges the messages at fault that no settlement has charged yet, except while their rows may be in doubt. */
    private void chargeFailed() throws Exception {
        if (!commitIncomplete) {
            charge(chargeable(Set.of()), Map.of(), context);
        }
    }

    /**
     * The failed messages whose predecessors are settled now or before. A charge moves a message out of its partition,
     * where an unsettled predecessor would stay behind.
     *
     * @param now the messages that the same transaction settles
     */
    private List<Failure> chargeable(Set<Long> now) {
        return inKeyOrder(m -> now.contains(m) || failed.containsKey(m)).stream()
                .map(OutboxMessage::sequence)
                .filter(m -> failed.containsKey(m) && !charged.contains(m))
                .map(failed::get)
                .toList();
    }

    /** The unsettled messages that pass a test and whose unsettled predecessors in the key pass it too. */
    private List<OutboxMessage> inKeyOrder(LongPredicate test) {
        Set<String> waiting = new HashSet<>();
        List<OutboxMessage> passed = new ArrayList<>();
        for (OutboxMessage message : batch) {
            if (settled.contains(message.sequence())) {
                continue;
            }
            if (test.test(message.sequence()) && !waiting.contains(message.orderingKey())) {
                passed.add(message);
            } else if (message.orderingKey() != null) {
                waiting.add(message.orderingKey());
            }
        }
        return passed;
    }

    private static Set<Long> sequences(List<OutboxMessage> messages) {
        return messages.stream().map(OutboxMessage::sequence).collect(Collectors.toSet());
    }
}
