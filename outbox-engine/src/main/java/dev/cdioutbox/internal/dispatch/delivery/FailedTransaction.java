package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;
import java.util.Set;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.Causes;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.container.Transactions.TimedOutException;
import dev.cdioutbox.spi.PublishException;

/**
 * Finds out how a failed transaction ended: by its exception and, if only the commit has failed, by what the rows show of its
 * branch in the database. A failed commit is not always a rollback: a transaction manager that cannot reach one branch
 * completes it later. {@link FailurePolicy} decides what follows, and how often a commit is tried again.
 */
final class FailedTransaction {
    private static final Logger LOG = Logger.getLogger(FailedTransaction.class.getName());

    private final DeliveryContext context;
    private final Attempt attempt;
    private final Exception failure;

    /** @param attempt what was sent, perhaps in part */
    FailedTransaction(DeliveryContext context, Attempt attempt, Exception failure) {
        this.context = context;
        this.attempt = attempt;
        this.failure = failure;
    }

    /** A step before the commit has failed. */
    Attempt beforeCommit() {
        if (TimedOutException.isCauseOf(failure)) {
            return attempt.ended(End.TOO_MANY, failure);
        }
        if (!attempt.discarded().isEmpty()) {
            return attempt.ended(End.DISCARDED, failure);
        }
        return attempt.ended(attempt.end().mayCommit() ? End.FAILED : attempt.end(), failure);
    }

    /** The commit has failed, of a transaction without the settlement: it has no branch in the database, which could tell more. */
    Attempt atCommitOfSends() {
        return TimedOutException.isCauseOf(failure) ? attempt.ended(End.TOO_MANY, failure) : refused();
    }

    /** The commit has failed, of a transaction with the settlement. Reports what it has left, unless it is rolled back. */
    Attempt atCommit() {
        if (TimedOutException.isCauseOf(failure)) {
            return attempt.ended(End.TOO_MANY, failure);
        }
        List<Long> written =
                attempt.sent().stream().map(OutboxMessage::sequence).toList();
        Branch branch;
        try {
            branch = context.environment().outside(() -> branch(written));
        } catch (Exception databaseIsAway) {
            databaseIsAway.addSuppressed(failure);
            String unknown = OutboxCode.COMMIT_UNKNOWN.text(written.size());
            return attempt.ended(End.COMMIT_UNKNOWN, new IllegalStateException(unknown, databaseIsAway));
        }
        return branch.isRolledBack() ? refused() : incomplete(branch);
    }

    /** Some publishers commit a transaction of the transport just before the commit, and report why that has failed. */
    private Attempt refused() {
        PublishException reason = Causes.first(failure, PublishException.class);
        return attempt.ended(reason == null ? End.COMMIT_REFUSED : End.of(reason.blame(), End.COMMIT_REFUSED), failure);
    }

    private Attempt incomplete(Branch branch) {
        String reason = FailureReason.of(failure);
        if (branch.prepared > 0) {
            LOG.warning(OutboxCode.COMMIT_IN_DOUBT.text(context.id(), branch.prepared, reason));
        }
        if (branch.committed > 0) {
            LOG.warning(OutboxCode.COMMITTED_WITHOUT_BROKER.text(context.id(), branch.committed, reason));
        }
        context.environment().notifyEach(l -> l.commitIncomplete(context.id(), branch.committed, branch.prepared));
        return attempt.ended(branch.prepared > 0 ? End.COMMIT_IN_DOUBT : End.COMMITTED_WITHOUT_BROKER, failure);
    }

    private Branch branch(List<Long> written) {
        Set<Long> free = context.pendingRows().lockable(written);
        Set<Long> waiting = context.pendingRows().pending(written);
        int prepared = (int) waiting.stream().filter(row -> !free.contains(row)).count();
        return new Branch(written.size() - waiting.size(), prepared);
    }

    /**
     * What the rows of a transaction show of its branch in the database.
     *
     * @param committed the number of rows that do not wait any more; the broker's branch may have any state
     * @param prepared the number of rows that wait, locked, for the outcome
     */
    private record Branch(int committed, int prepared) {

        boolean isRolledBack() {
            return committed == 0 && prepared == 0;
        }
    }
}
