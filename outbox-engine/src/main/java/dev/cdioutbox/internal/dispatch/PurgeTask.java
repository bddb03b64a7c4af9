package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.inbox.JdbcInbox;
import dev.cdioutbox.internal.store.purge.Purge;
import dev.cdioutbox.internal.store.purge.PurgeResult;

/**
 * Deletes or archives messages whose retention is over, oldest first, and deletes old records of the inbox, both in
 * bounded batches. Each call continues at the end of the previous one.
 */
final class PurgeTask {
    /** Batches per call; then the timer's thread is returned. */
    static final int BATCHES = 100;

    /** Rows that one transaction deletes from the inbox: few, so that the transaction is short. */
    static final int INBOX_ROWS = 1000;

    /**
     * In scans. A restart at sequence 0 finds the messages that earlier scans had to leave behind, because they were published
     * late, abandoned or locked, or because their transactions committed late.
     */
    static final int RESTART_EVERY = 60;

    private static final Logger LOG = Logger.getLogger(PurgeTask.class.getName());

    private final Purge messages;
    private final JdbcInbox inbox;
    private final Supplier<OutboxConfig> config;
    private final Environment environment;
    /** Once an hour, since a late purge does no harm. */
    private final RepeatedLine failures = new RepeatedLine(Duration.ofHours(1));

    private final AtomicBoolean busy = new AtomicBoolean();

    // Guarded by busy, which orders the purges of several threads.
    private long position;
    private int scans;

    /** @param config supplies the current configuration */
    PurgeTask(Purge messages, JdbcInbox inbox, Supplier<OutboxConfig> config, Environment environment) {
        this.messages = messages;
        this.inbox = inbox;
        this.config = config;
        this.environment = environment;
    }

    /**
     * Purges, unless a purge is in progress.
     *
     * @return whether more can be removed at once
     */
    boolean purge() {
        if (!busy.compareAndSet(false, true)) {
            return false;
        }
        try {
            return scan() && !environment.isStopping();
        } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError e) {
            failed(e);
            return false;
        } finally {
            busy.set(false);
        }
    }

    /**
     * Each batch is a separate transaction, outside of any global one.
     *
     * @return whether there may be more to remove
     */
    private boolean scan() throws Exception {
        boolean hasIds = true;
        boolean hasMessages = true;
        Exception inboxFailure = null;
        for (int batch = 0; batch < BATCHES && (hasIds || hasMessages) && !environment.isStopping(); batch++) {
            OutboxConfig now = config.get();
            try {
                hasIds = hasIds
                        && environment.outside(() -> inbox.purge(now.inboxRetention(), INBOX_ROWS)) == INBOX_ROWS;
            } catch (Exception e) {
                // A consumer may hold a row of the inbox for long; the messages must not wait for that.
                inboxFailure = e;
                hasIds = false;
            }
            hasMessages = hasMessages && purgeMessages(now.retention(), inboxFailure);
        }
        if (inboxFailure == null) {
            succeeded();
        } else {
            failed(inboxFailure);
        }
        return hasIds || hasMessages;
    }

    /** Tells of both failures, if the messages cannot be purged either. */
    private boolean purgeMessages(RetentionConfig retention, Exception inboxFailure) throws Exception {
        try {
            return environment.outside(() -> purgeMessages(retention));
        } catch (Exception e) {
            if (inboxFailure != null) {
                e.addSuppressed(inboxFailure);
            }
            throw e;
        }
    }

    /** @return whether the scan has not reached its end */
    private boolean purgeMessages(RetentionConfig retention) {
        PurgeResult removed = messages.removeNext(retention, position);
        position = removed.last();
        if (removed.isEnd()) {
            scans++;
            position = scans % RESTART_EVERY == 0 ? 0 : position;
        }
        return !removed.isEnd();
    }

    private void failed(Throwable e) {
        if (failures.due(environment.nanoTime()) > 0) {
            LOG.log(Level.WARNING, OutboxCode.PURGE_FAILED.text(FailureReason.of(e)), FailureLog.trace(e));
        }
    }

    private void succeeded() {
        int failed = failures.end();
        if (failed > 0) {
            LOG.info(OutboxCode.PURGE_RESUMED.text(failed));
        }
    }
}
