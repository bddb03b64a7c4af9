package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.Causes;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.Transactions.TimedOutException;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnership;
import dev.cdioutbox.internal.dispatch.publish.DeliveryProtocol;
import dev.cdioutbox.internal.store.SentSettlement;
import dev.cdioutbox.internal.store.settle.SettlementStore;
import dev.cdioutbox.spi.PublishException;

/**
 * Sends messages and marks them as published, in one transaction or in two ({@link DeliveryProtocol}), and finds out how that ended.
 */
class SendTransaction {
    private static final Logger LOG = Logger.getLogger(SendTransaction.class.getName());

    private final DeliveryContext context;
    private final Environment environment;
    private final DestinationOwnership ownership;

    private Attempt attempt = Attempt.NOTHING;
    /** Whether only the commit is left of the transaction of the sends. */
    private boolean isReadyToCommit;

    SendTransaction(DeliveryContext context) {
        this.context = context;
        this.environment = context.environment();
        this.ownership = context.ownership();
    }

    /** Call it once, outside of a transaction. */
    Attempt deliver(List<OutboxMessage> messages) {
        long start = environment.nanoTime();
        try {
            environment.inNew(() -> {
                send(messages);
                if (!ownership.publisher().protocol().settlesApart()) {
                    settleWithSends();
                }
                isReadyToCommit = true;
            });
        } catch (Exception e) {
            return afterFailure(e);
        }
        if (!attempt.sent().isEmpty()) {
            context.destination().lastDelivery().set(context.now());
        }
        if (ownership.publisher().protocol().settlesApart()) {
            try {
                environment.inNew(this::settle);
                ownership.committed(!attempt.sent().isEmpty());
            } catch (Exception e) {
                return attempt.ended(End.FAILED, e);
            }
        }
        afterCommit();
        notifyListeners(Duration.ofNanos(environment.nanoTime() - start));
        return attempt;
    }

    private void send(List<OutboxMessage> messages) throws Exception {
        SendLoop loop = new SendLoop(
                environment,
                ownership.publisher(),
                ownership::open,
                context.claim().clock());
        attempt = loop.send(messages, environment.transactions().timeLeft());
        if (!attempt.end().mayCommit()) {
            throw attempt.failure();
        }
    }

    /**
     * After the sends, so that the broker's branch commits first. If the database's branch committed first, its row locks
     * would be free while the message is only prepared. A lost transaction log would then lose the message.
     */
    private void settleWithSends() {
        settle();
        if (!attempt.discarded().isEmpty()) {
            // The rollback keeps them from consumers: later messages of their keys could overtake them after a lost
            // claim.
            throw new IllegalStateException("an operator discarded messages while they were sent");
        }
    }

    /** In the transaction of the sends, or in the next one. */
    private void settle() {
        if (attempt.sent().isEmpty()) {
            // The broker has no transaction, and no number of a batch.
            return;
        }
        ownership.proveSent();
        SentSettlement sent = new SentSettlement(
                sequences(attempt.sent()),
                context.config().retention(),
                ownership.publisher().mark(),
                attempt.brokerIds());
        Set<Long> discarded = context.settlements().settleSent(sent);
        attempt = attempt.withDiscarded(discarded);
        settleMore();
    }

    /** Settles more than what was sent, in the same transaction. */
    void settleMore() {}

    /** The settlement is committed. */
    void afterCommit() {}

    /** Whether the settlement is committed, nobody knows yet. */
    void afterCommitInDoubt() {}

    private void notifyListeners(Duration took) {
        List<OutboxMessage> sent = attempt.sent();
        if (sent.isEmpty()) {
            return;
        }
        String label = context.label();
        Instant now = context.now();
        environment.notifyEach(l -> ownership.publisher().report(l, sent, now, took));
        sent.stream()
                .filter(message -> attempt.discarded().contains(message.sequence()))
                .forEach(message -> environment.notifyEach(l -> l.discardedTooLate(label, message)));
    }

    private Attempt afterFailure(Exception e) {
        // First, because a time-out may have interrupted any step.
        if (TimedOutException.isCauseOf(e)) {
            return attempt.ended(End.TOO_MANY, e);
        }
        if (isReadyToCommit) {
            // A transaction without the settlement has no branch in the database, which could tell more.
            return ownership.publisher().protocol().settlesApart() ? refused(e) : afterFailedCommit(e);
        }
        if (!attempt.discarded().isEmpty()) {
            return attempt.ended(End.DISCARDED, e);
        }
        return attempt.ended(attempt.end().mayCommit() ? End.FAILED : attempt.end(), e);
    }

    /** Some publishers commit a transaction of the transport just before the commit, and report why that has failed. */
    private Attempt refused(Exception e) {
        PublishException reason = Causes.first(e, PublishException.class);
        return attempt.ended(reason == null ? End.COMMIT_REFUSED : End.of(reason.blame(), End.COMMIT_REFUSED), e);
    }

    /** A failed commit is not always a rollback: reads what it has left, and reports anything else. */
    private Attempt afterFailedCommit(Exception e) {
        List<Long> written = sequences(attempt.sent());
        Branch branch;
        try {
            branch = environment.outside(() -> Branch.of(written, context.settlements()));
        } catch (Exception databaseIsAway) {
            databaseIsAway.addSuppressed(e);
            afterCommitInDoubt();
            String unknown = OutboxCode.COMMIT_UNKNOWN.text(written.size());
            return attempt.ended(End.COMMIT_UNKNOWN, new IllegalStateException(unknown, databaseIsAway));
        }
        if (branch.isRolledBack()) {
            return refused(e);
        }
        String label = context.label();
        String reason = FailureReason.of(e);
        if (branch.prepared() > 0) {
            LOG.warning(OutboxCode.COMMIT_IN_DOUBT.text(label, branch.prepared(), reason));
        }
        if (branch.committed() > 0) {
            LOG.warning(OutboxCode.COMMITTED_WITHOUT_BROKER.text(label, branch.committed(), reason));
        }
        // What was settled with the sent messages is in the same branch.
        if (branch.prepared() == 0) {
            afterCommit();
        } else {
            afterCommitInDoubt();
        }
        environment.notifyEach(l -> l.commitIncomplete(label, branch.committed(), branch.prepared()));
        return attempt.ended(End.COMMIT_IN_DOUBT, e);
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

    private static List<Long> sequences(List<OutboxMessage> messages) {
        return messages.stream().map(OutboxMessage::sequence).toList();
    }
}
