package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.spi.PublishException;

/** Publishes one batch and settles it. The two guarantees differ in one place: whether that is one transaction. */
final class Delivery {
    private static final Logger LOG = Logger.getLogger(Delivery.class.getName());

    private final OutboxStore store;
    private final Sending sending;
    private final Transactions transactions;
    private final Listeners listeners;
    private final Settling settling;

    Delivery(OutboxStore store, Sending sending, Transactions transactions, Listeners listeners) {
        this.store = store;
        this.sending = sending;
        this.transactions = transactions;
        this.listeners = listeners;
        this.settling = new Settling(store, listeners);
    }

    /** @return what became of it as far as it was one transaction; of what was delivered in parts, nothing is told */
    Sent deliver(Guarantee guarantee, Lane lane, List<OutboxMessage> batch, Aftermath aftermath) throws Exception {
        try {
            return attempt(guarantee, lane, batch, aftermath);
        } catch (CommitException e) {
            if (batch.size() < 2) {
                throw e;
            }
            LOG.warning(Problem.BATCH_SPLIT.text(lane.label(), batch.size(), Problem.reason(e)));
            List<Sent.Failure> guilty = new Splitting(
                            some -> attempt(guarantee, lane, notInDoubt(some, aftermath), aftermath),
                            sending::isStopped)
                    .run(batch);
            charge(lane, guilty, Map.of(), aftermath);
            return Sent.NOTHING;
        }
    }

    /** @throws CommitException if everything went well until the commit, which rolled back */
    private Sent attempt(Guarantee guarantee, Lane lane, List<OutboxMessage> batch, Aftermath aftermath)
            throws Exception {
        try {
            return once(guarantee, lane, batch, aftermath);
        } catch (CommitException e) {
            if (isRolledBack(lane, batch, aftermath, e)) {
                throw e;
            }
            return Sent.NOTHING;
        }
    }

    private Sent once(Guarantee guarantee, Lane lane, List<OutboxMessage> batch, Aftermath aftermath) throws Exception {
        long start = System.nanoTime();
        Passes passes = new Passes(sending, aftermath.aim(lane.destination()), aftermath.clock());
        Settling.Outcome outcome =
                switch (guarantee) {
                    // Sending first makes the broker's branch the first to commit. Were it the database's, its locks
                    // would be free while the message is only prepared, and a lost log would lose the message.
                    case EXACTLY_ONCE ->
                        passes.run(
                                batch,
                                sends -> committed(
                                        () -> unlessDiscarded(settling.settle(sends.send(), Map.of(), aftermath))));
                    case AT_LEAST_ONCE -> {
                        Sent sent = passes.run(batch, sends -> committed(sends::send));
                        yield transactions.inNew(() -> settling.settle(sent, Map.of(), aftermath));
                    }
                };
        settling.tell(lane, outcome, aftermath, Duration.ofNanos(System.nanoTime() - start));
        return outcome.sent();
    }

    /** Rolled back, nobody has got it; and what followed it may have overtaken it, had this claim been lost meanwhile. */
    private static Settling.Outcome unlessDiscarded(Settling.Outcome outcome) throws DiscardedException {
        if (!outcome.discarded().isEmpty()) {
            throw new DiscardedException(outcome.discarded());
        }
        return outcome;
    }

    /** Tells a commit that fails from work that does. */
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

    /** A failed commit is a rollback, unless a branch could not be reached: then it is ended later, and is no failure. */
    private boolean isRolledBack(Lane lane, List<OutboxMessage> batch, Aftermath aftermath, CommitException e)
            throws UnclearCommitException {
        Fate fate;
        try {
            fate = transactions.outside(() -> Fate.of(batch, store, aftermath.lease()));
        } catch (Exception databaseIsAway) {
            databaseIsAway.addSuppressed(e);
            throw new UnclearCommitException(databaseIsAway);
        }
        String reason = Problem.reason(e);
        if (!fate.inDoubt().isEmpty()) {
            LOG.warning(
                    Problem.COMMIT_IN_DOUBT.text(lane.label(), fate.inDoubt().size(), reason));
        }
        if (!fate.settled().isEmpty()) {
            LOG.warning(Problem.COMMITTED_PAST_THE_BROKER.text(
                    lane.label(), fate.settled().size(), reason));
        }
        if (!fate.isRollback()) {
            listeners.tell(l -> l.unclear(
                    lane.destination(), fate.settled().size(), fate.inDoubt().size()));
        }
        return fate.isRollback();
    }

    /** A commit that seemed to fail may be in doubt: what it holds, and what follows that, has to wait for its outcome. */
    private List<OutboxMessage> notInDoubt(List<OutboxMessage> messages, Aftermath aftermath) throws Exception {
        Set<Long> free = transactions.outside(() -> store.lockable(Settling.sequences(messages), aftermath.lease()));
        Set<String> waiting = messages.stream()
                .filter(message -> !free.contains(message.sequence()))
                .map(OutboxMessage::orderingKey)
                .collect(Collectors.toSet());
        return messages.stream()
                .filter(message -> free.contains(message.sequence()))
                .filter(message -> message.orderingKey() == null || !waiting.contains(message.orderingKey()))
                .toList();
    }

    /** What found no room is left for later; nobody is charged. */
    void putOff(Lane lane, List<OutboxMessage> messages, Duration first, PublishException why, Aftermath aftermath)
            throws Exception {
        transactions.inNew(() -> {
            settling.putOff(messages, first, why, aftermath);
            return null;
        });
        if (lane.refusals.isNews(System.nanoTime())) {
            LOG.warning(Problem.NO_ROOM.text(lane.label(), messages.size(), Problem.reason(why)));
        }
    }

    /** Without sending anything. */
    void charge(Lane lane, List<Sent.Failure> guilty, Map<Long, String> undecodable, Aftermath aftermath)
            throws Exception {
        if (!guilty.isEmpty() || !undecodable.isEmpty()) {
            Sent charged = new Sent(List.of(), List.of(), guilty);
            settling.tell(
                    lane,
                    transactions.inNew(() -> settling.settle(charged, undecodable, aftermath)),
                    aftermath,
                    Duration.ZERO);
        }
    }
}
