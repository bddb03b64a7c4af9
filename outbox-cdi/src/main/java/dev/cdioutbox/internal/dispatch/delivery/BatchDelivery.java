package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
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
 * worker backs off.
 */
public final class BatchDelivery {
    private static final Logger LOG = Logger.getLogger(BatchDelivery.class.getName());

    /** An attempt and a second one without the failed messages. The partitions of a claim wait no longer than this. */
    private static final Duration MAX_BATCH_SEND_TIME = BatchSender.MAX_SEND_TIME.multipliedBy(2);

    private final Environment environment;
    private final BatchSender sender;
    private final BatchSettler settler;

    public BatchDelivery(Environment environment, BatchSender sender) {
        this.environment = environment;
        this.sender = sender;
        this.settler = new BatchSettler(environment.store(), environment.listeners());
    }

    /**
     * Delivers a batch, in as many transactions as its failures need.
     *
     * @param batch the messages; each key in order and without a gap
     * @throws Exception if the destination or the database is to blame; earlier commits of this batch remain
     */
    public BatchOutcome deliver(List<OutboxMessage> batch, DeliveryContext context) throws Exception {
        return new Delivery(batch, context).deliver();
    }

    /** Settles failed and unreadable messages without a send, in a new transaction. */
    public void charge(List<SendResult.Failure> failures, Map<Long, String> unreadable, DeliveryContext context)
            throws Exception {
        if (!failures.isEmpty() || !unreadable.isEmpty()) {
            settler.notifyListeners(
                    environment
                            .transactions()
                            .inNew(() -> settler.settle(new SendResult(), failures, unreadable, context)),
                    context,
                    Duration.ZERO);
        }
    }

    /** The delivery of one batch. Used by one thread. */
    private final class Delivery {
        private final List<OutboxMessage> batch;
        private final DeliveryContext context;
        private final Set<Long> settled = new HashSet<>();
        private final Map<Long, SendResult.Failure> failed = new LinkedHashMap<>();
        private final Set<Long> charged = new HashSet<>();
        private PublishException destinationFull;
        private boolean commitIncomplete;
        private boolean isBisected;
        private long sendNanos;

        private Delivery(List<OutboxMessage> batch, DeliveryContext context) {
            this.batch = batch;
            this.context = context;
        }

        private BatchOutcome deliver() throws Exception {
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
            return new BatchOutcome(settled.size(), firstLeft());
        }

        /**
         * Sends messages in one transaction. After a failure, repeats with new transactions until one commits. The
         * repetition ends, since each one has fewer messages: it leaves out a failed or discarded message, or takes half
         * of them.
         */
        private void send(List<OutboxMessage> some) throws Exception {
            Set<Long> wanted = sequences(some);
            List<OutboxMessage> messages = inKeyOrder(m -> wanted.contains(m) && !failed.containsKey(m));
            if (messages.isEmpty() || sender.isStopped() && !settled.isEmpty()) {
                return;
            }
            Attempt attempt = new Attempt(messages);
            try {
                environment.transactions().inNew(attempt);
            } catch (Exception e) {
                recover(attempt, e);
                return;
            }
            attempt.committed();
        }

        /** A time-out comes first: it may have interrupted any of the steps that the other cases ask for. */
        private void recover(Attempt attempt, Exception e) throws Exception {
            if (TransactionTimedOutException.isCauseOf(e)) {
                timedOut(attempt.result, e);
            } else if (attempt.isComplete) {
                commitFailed(attempt, e);
            } else if (!attempt.discarded.isEmpty()) {
                settled.addAll(attempt.discarded);
                send(attempt.messages);
            } else if (attempt.isRefused) {
                sendFailed(attempt.result, e);
            } else {
                throw e;
            }
        }

        /** The transaction is rolled back, since the broker may have a message that failed. */
        private void sendFailed(SendResult result, Exception e) throws Exception {
            if (result.suspect() != null) {
                // Did the message break its connection, or is the destination away?
                probe(e);
                failed.put(result.suspect().message().sequence(), result.suspect());
            }
            if (isLate()) {
                // Other messages fail in each attempt, so the messages are not to blame.
                throw e;
            }
            recordFull(result);
            send(through(result));
            if (mayContinue()) {
                send(result.untried());
            }
        }

        /** Fewer messages take less time. No message is charged: the broker or the database is slow. */
        private void timedOut(SendResult result, Exception e) throws Exception {
            List<OutboxMessage> messages = through(result);
            if (messages.size() < 2) {
                throw e;
            }
            recordFull(result);
            sendInHalves(messages, e);
        }

        /** Some providers refuse a message only at the commit. Bisection finds that message. */
        private void commitFailed(Attempt attempt, Exception e) throws Exception {
            resolveFailedCommit(attempt.messages, e);
            if (commitIncomplete) {
                return;
            }
            List<OutboxMessage> messages = through(attempt.result);
            if (messages.isEmpty()) {
                throw e;
            }
            probe(e);
            recordFull(attempt.result);
            if (messages.size() == 1) {
                OutboxMessage message = messages.get(0);
                failed.put(
                        message.sequence(),
                        new SendResult.Failure(
                                message,
                                new PublishException(Blame.UNKNOWN, "the commit of this message alone failed", e)));
                return;
            }
            sendInHalves(messages, e);
        }

        private void sendInHalves(List<OutboxMessage> messages, Exception e) throws Exception {
            if (!isBisected) {
                isBisected = true;
                LOG.warning(Problem.BATCH_SPLIT.text(context.label(), messages.size(), Problem.reason(e)));
            }
            int middle = messages.size() / 2;
            send(messages.subList(0, middle));
            if (mayContinue()) {
                send(messages.subList(middle, messages.size()));
            }
        }

        /** @throws Exception the failure, if the destination does not answer in a new transaction either */
        private void probe(Exception failure) throws Exception {
            try {
                environment.probe(context.target(), context.guarantee());
            } catch (Exception ill) {
                failure.addSuppressed(ill);
                throw failure;
            }
        }

        /**
         * Finds out what a failed commit has left, and reports anything but a rollback. If a branch was unreachable, the
         * transaction manager completes that branch later, and the next claim reads the unsettled messages.
         */
        private void resolveFailedCommit(List<OutboxMessage> messages, Exception e)
                throws CommitOutcomeUnknownException {
            commitIncomplete = true;
            CommitOutcome outcome;
            try {
                outcome = environment.outside(() -> CommitOutcome.of(messages, environment.store()));
            } catch (Exception databaseIsAway) {
                databaseIsAway.addSuppressed(e);
                throw new CommitOutcomeUnknownException(databaseIsAway);
            }
            String reason = Problem.reason(e);
            if (!outcome.inDoubt().isEmpty()) {
                LOG.warning(Problem.COMMIT_IN_DOUBT.text(
                        context.label(), outcome.inDoubt().size(), reason));
            }
            if (!outcome.settled().isEmpty()) {
                LOG.warning(Problem.COMMITTED_WITHOUT_BROKER.text(
                        context.label(), outcome.settled().size(), reason));
            }
            commitIncomplete = !outcome.isRollback();
            if (commitIncomplete) {
                environment.notifyEach(l -> l.commitIncomplete(
                        context.label(),
                        outcome.settled().size(),
                        outcome.inDoubt().size()));
            }
        }

        private void recordFull(SendResult result) {
            destinationFull = destinationFull == null ? result.destinationFull() : destinationFull;
        }

        private boolean mayContinue() {
            return !isLate() && !commitIncomplete && destinationFull == null;
        }

        private boolean isLate() {
            return sendNanos > MAX_BATCH_SEND_TIME.toNanos();
        }

        private List<OutboxMessage> through(SendResult result) {
            Set<Long> through = throughSequences(result);
            return batch.stream().filter(m -> through.contains(m.sequence())).toList();
        }

        private static Set<Long> throughSequences(SendResult result) {
            Set<Long> through = sequences(result.sent());
            through.addAll(sequences(result.expired()));
            return through;
        }

        private static Set<Long> sequences(List<OutboxMessage> messages) {
            return messages.stream().map(OutboxMessage::sequence).collect(Collectors.toCollection(HashSet::new));
        }

        /**
         * Charges the messages at fault that no settlement has charged yet, except while their rows may be in doubt.
         */
        private void chargeFailed() throws Exception {
            List<SendResult.Failure> left = chargeable(new SendResult());
            if (!commitIncomplete) {
                charge(left, Map.of(), context);
            }
        }

        /**
         * The failed messages whose predecessors are settled with this result or before. A charge moves a message out
         * of its partition, where an unsettled predecessor would stay behind.
         */
        private List<SendResult.Failure> chargeable(SendResult result) {
            if (failed.isEmpty()) {
                return List.of();
            }
            Set<Long> done = throughSequences(result);
            return inKeyOrder(m -> done.contains(m) || failed.containsKey(m)).stream()
                    .filter(m -> failed.containsKey(m.sequence()) && !charged.contains(m.sequence()))
                    .map(m -> failed.get(m.sequence()))
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

        /** The first unsettled message that has not failed and waits for no failed one; null if there is none. */
        private OutboxMessage firstLeft() {
            return commitIncomplete
                    ? null
                    : inKeyOrder(m -> !failed.containsKey(m)).stream()
                            .findFirst()
                            .orElse(null);
        }

        /** One transaction: sends messages and, with exactly-once, settles them. */
        private final class Attempt implements Callable<Void> {
            private final List<OutboxMessage> messages;
            private final SendResult result = new SendResult();
            private final long start = System.nanoTime();
            private List<SendResult.Failure> charges = List.of();
            private BatchSettler.Outcome outcome;
            private Set<Long> discarded = Set.of();
            private boolean isRefused;
            private boolean isComplete;

            private Attempt(List<OutboxMessage> messages) {
                this.messages = messages;
            }

            @Override
            public Void call() throws Exception {
                try {
                    sender.send(
                            context.target(),
                            messages,
                            context.clock(),
                            environment.transactions().timeLeft(),
                            result);
                } catch (PublishException e) {
                    isRefused = e == result.outcomeUnknown();
                    throw e;
                } finally {
                    sendNanos += result.nanos();
                    result.failures().forEach(f -> failed.put(f.message().sequence(), f));
                }
                // Sending first makes the broker's branch commit first. If the database's branch committed first, its
                // row locks would be free while the message is only prepared. A lost transaction log would then lose
                // the message.
                if (context.guarantee() == Guarantee.EXACTLY_ONCE) {
                    settle();
                    discarded = outcome.discarded();
                    if (!discarded.isEmpty()) {
                        // The rollback keeps the discarded messages from consumers. Without the rollback, later
                        // messages of the key could overtake them after a lost claim.
                        throw new IllegalStateException("an operator discarded messages while they were sent");
                    }
                }
                isComplete = true;
                return null;
            }

            private Void settle() {
                charges = chargeable(result);
                outcome = settler.settle(result, charges, Map.of(), context);
                return null;
            }

            private void committed() throws Exception {
                if (context.guarantee() == Guarantee.AT_LEAST_ONCE) {
                    environment.transactions().inNew(this::settle);
                }
                settled.addAll(throughSequences(result));
                charges.forEach(failure -> charged.add(failure.message().sequence()));
                recordFull(result);
                settler.notifyListeners(outcome, context, Duration.ofNanos(System.nanoTime() - start));
            }
        }
    }
}
