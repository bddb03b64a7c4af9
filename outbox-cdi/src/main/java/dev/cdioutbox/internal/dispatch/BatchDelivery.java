package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.PublishException;

/**
 * Publishes one batch and settles it. The two guarantees differ in one place: whether that is one transaction or two.
 */
final class BatchDelivery {
    private static final Logger LOG = Logger.getLogger(BatchDelivery.class.getName());

    private final OutboxStore store;
    private final BatchSender batchSender;
    private final Transactions transactions;
    private final ListenerNotifier listeners;
    private final BatchSettler batchSettler;

    BatchDelivery(OutboxStore store, BatchSender sending, Transactions transactions, ListenerNotifier listeners) {
        this.store = store;
        this.batchSender = sending;
        this.transactions = transactions;
        this.listeners = listeners;
        this.batchSettler = new BatchSettler(store, listeners);
    }

    /** @return the result if the batch was one transaction; an empty result if it was delivered in parts */
    SendResult deliver(
            Guarantee guarantee, DestinationWorker worker, List<OutboxMessage> batch, DeliveryContext context)
            throws Exception {
        OutboxMessage ahead = worker.commitFallback.single(batch);
        if (ahead != null) {
            deliverFirst(guarantee, worker, ahead, context);
            return SingleCommitFallback.rest(batch, ahead);
        }
        try {
            return attempt(guarantee, worker, batch, context);
        } catch (CommitException e) {
            if (batch.size() < 2) {
                throw e;
            }
            // One line per outage is enough.
            Level level = worker.failures() == 0 ? Level.WARNING : Level.FINE;
            LOG.log(level, () -> Problem.BATCH_SPLIT.text(worker.label(), batch.size(), Problem.reason(e)));
            return split(guarantee, worker, batch, context);
        }
    }

    private void deliverFirst(
            Guarantee guarantee, DestinationWorker worker, OutboxMessage message, DeliveryContext context)
            throws Exception {
        try {
            attempt(guarantee, worker, List.of(message), context);
        } catch (Exception e) {
            // Whatever the failure is, the next run tries another message first.
            worker.commitFallback.commitFailed();
            throw e;
        }
    }

    private SendResult split(
            Guarantee guarantee, DestinationWorker worker, List<OutboxMessage> batch, DeliveryContext context)
            throws Exception {
        BatchBisection bisection = new BatchBisection(
                some -> attempt(guarantee, worker, notInDoubt(some, context), context), batchSender::isStopped);
        try {
            charge(worker, bisection.bisect(batch), Map.of(), context);
        } catch (CommitException e) {
            worker.commitFallback.commitFailed();
            throw e;
        }
        return SendResult.EMPTY;
    }

    /** @throws CommitException if only the commit failed, and it rolled back */
    private SendResult attempt(
            Guarantee guarantee, DestinationWorker worker, List<OutboxMessage> batch, DeliveryContext context)
            throws Exception {
        try {
            return deliverOnce(guarantee, worker, batch, context);
        } catch (CommitException e) {
            if (isRolledBack(worker, batch, context, e)) {
                throw e;
            }
            return SendResult.EMPTY;
        }
    }

    private SendResult deliverOnce(
            Guarantee guarantee, DestinationWorker worker, List<OutboxMessage> batch, DeliveryContext context)
            throws Exception {
        long start = System.nanoTime();
        PoisonIsolation attempts =
                new PoisonIsolation(batchSender, context.targetOf(worker.destination()), context.clock());
        BatchSettler.Outcome outcome =
                switch (guarantee) {
                    // Sending first makes the broker's branch the first to commit. Were it the database's, its locks
                    // would be free while the message is only prepared, and a lost log would lose the message.
                    case EXACTLY_ONCE ->
                        attempts.deliver(
                                batch,
                                sends -> committed(
                                        () -> unlessDiscarded(batchSettler.settle(sends.send(), Map.of(), context))));
                    case AT_LEAST_ONCE -> {
                        SendResult sent = attempts.deliver(batch, sends -> committed(sends::send));
                        yield transactions.inNew(() -> batchSettler.settle(sent, Map.of(), context));
                    }
                };
        batchSettler.notifyListeners(worker, outcome, context, Duration.ofNanos(System.nanoTime() - start));
        return outcome.sent();
    }

    /**
     * Rolls back if an operator discarded one of the messages, so that no consumer gets it. Without the rollback its
     * followers could overtake it after a lost claim.
     */
    private static BatchSettler.Outcome unlessDiscarded(BatchSettler.Outcome outcome)
            throws DiscardedWhileSentException {
        if (!outcome.discarded().isEmpty()) {
            throw new DiscardedWhileSentException(outcome.discarded());
        }
        return outcome;
    }

    /**
     * Runs work in a new transaction and reports a failed commit as a CommitException, apart from a failure of the
     * work.
     */
    private <T> T committed(Callable<T> work) throws Exception {
        AtomicBoolean worked = new AtomicBoolean();
        try {
            return transactions.inNew(() -> {
                T result = work.call();
                worked.set(true);
                return result;
            });
        } catch (Exception e) {
            throw worked.get() ? new CommitException(e) : e;
        }
    }

    /**
     * A failed commit is a rollback, unless a branch could not be reached: then the transaction manager completes it
     * later.
     */
    private boolean isRolledBack(
            DestinationWorker worker, List<OutboxMessage> batch, DeliveryContext context, CommitException e)
            throws CommitOutcomeUnknownException {
        CommitOutcome commitOutcome;
        try {
            commitOutcome = transactions.outside(() -> CommitOutcome.of(batch, store, context.lease()));
        } catch (Exception databaseIsAway) {
            databaseIsAway.addSuppressed(e);
            throw new CommitOutcomeUnknownException(databaseIsAway);
        }
        String reason = Problem.reason(e);
        if (!commitOutcome.inDoubt().isEmpty()) {
            LOG.warning(Problem.COMMIT_IN_DOUBT.text(
                    worker.label(), commitOutcome.inDoubt().size(), reason));
        }
        if (!commitOutcome.settled().isEmpty()) {
            LOG.warning(Problem.COMMITTED_WITHOUT_BROKER.text(
                    worker.label(), commitOutcome.settled().size(), reason));
        }
        if (!commitOutcome.isRollback()) {
            listeners.notifyEach(l -> l.commitIncomplete(
                    worker.destination(),
                    commitOutcome.settled().size(),
                    commitOutcome.inDoubt().size()));
        }
        return commitOutcome.isRollback();
    }

    /** The messages whose rows no prepared branch holds, without the followers of those that one holds. */
    private List<OutboxMessage> notInDoubt(List<OutboxMessage> messages, DeliveryContext context) throws Exception {
        Set<Long> free = transactions.outside(() -> store.lockable(BatchSettler.sequences(messages), context.lease()));
        Set<String> waiting = messages.stream()
                .filter(message -> !free.contains(message.sequence()))
                .map(OutboxMessage::orderingKey)
                .collect(Collectors.toSet());
        return messages.stream()
                .filter(message -> free.contains(message.sequence()))
                .filter(message -> message.orderingKey() == null || !waiting.contains(message.orderingKey()))
                .toList();
    }

    /** Schedules a retry for messages that a full destination rejected, without charging an attempt. */
    void scheduleUncharged(
            DestinationWorker worker,
            List<OutboxMessage> messages,
            Duration first,
            PublishException why,
            DeliveryContext context)
            throws Exception {
        transactions.inNew(() -> {
            batchSettler.scheduleUncharged(messages, first, why, context);
            return null;
        });
        if (worker.fullDestination.takeReportDue(System.nanoTime())) {
            LOG.warning(Problem.DESTINATION_FULL.text(worker.label(), messages.size(), Problem.reason(why)));
        }
    }

    /** Settles failed and unreadable messages without sending anything. */
    void charge(
            DestinationWorker worker,
            List<SendResult.Failure> guilty,
            Map<Long, String> undecodable,
            DeliveryContext context)
            throws Exception {
        if (!guilty.isEmpty() || !undecodable.isEmpty()) {
            SendResult charged = new SendResult(List.of(), List.of(), guilty);
            batchSettler.notifyListeners(
                    worker,
                    transactions.inNew(() -> batchSettler.settle(charged, undecodable, context)),
                    context,
                    Duration.ZERO);
        }
    }
}
