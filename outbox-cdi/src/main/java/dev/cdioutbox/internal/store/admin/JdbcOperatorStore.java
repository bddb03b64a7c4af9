package dev.cdioutbox.internal.store.admin;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import dev.cdioutbox.OutboxAuditEntry;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.MessageReference;
import dev.cdioutbox.internal.store.OperatorStore;
import dev.cdioutbox.internal.store.audit.AuditTable;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyStatements;
import dev.cdioutbox.internal.store.sql.ColumnText;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** Implements the changes of operators with JDBC. */
public final class JdbcOperatorStore implements OperatorStore {
    /** In seconds. Queue maintenance locks blocked keys for a moment only. */
    private static final int TIMEOUT_SECONDS = 30;

    private final Connections connections;
    private final String application;
    private final ChangeCandidateQuery candidates;
    private final OperatorStatements operations;
    private final BlockedKeyStatements blockedKeys;
    private final AuditTable audit;
    private final ReadWatermark watermark;

    public JdbcOperatorStore(
            Connections connections,
            String application,
            ChangeCandidateQuery candidates,
            OperatorStatements operations,
            BlockedKeyStatements blockedKeys,
            AuditTable audit,
            ReadWatermark watermark) {
        this.connections = connections;
        this.watermark = watermark;
        this.application = application;
        this.candidates = candidates;
        this.operations = operations;
        this.blockedKeys = blockedKeys;
        this.audit = audit;
    }

    @Override
    public List<MessageReference> change(Change change, List<Long> sequences) {
        if (sequences.isEmpty()) {
            return List.of();
        }
        List<MessageReference> changed = connections.withConnection("changing messages", connection -> {
            Set<Long> opened = new TreeSet<>();
            List<MessageReference> free = lock(connection, change, sequences, opened);
            if (!free.isEmpty()) {
                update(connection, change, free);
                setDueNow(connection, opened);
            }
            return free;
        });
        watermark.querySoon();
        return changed;
    }

    @Override
    public Long sequence(String messageId) {
        return connections.withConnection("looking for a message", connection -> JdbcStatement.of(
                        connection, operations.sequence, messageId, application)
                .number());
    }

    @Override
    public List<ChangeCandidate> changeCandidates(Change change, OutboxFilter filter) {
        return connections.withConnection(
                "looking for messages", connection -> candidates.find(connection, change, filter));
    }

    @Override
    public CandidateCount countCandidates(Change change, OutboxFilter filter, int cap) {
        return connections.withConnection(
                "counting messages", connection -> candidates.count(connection, change, filter, cap));
    }

    /**
     * Skips rows that a delivery locks: a row in doubt would block the operator.
     *
     * @param opened receives the blocked keys whose first message is among the locked ones
     */
    private List<MessageReference> lock(Connection connection, Change change, List<Long> found, Set<Long> opened)
            throws SQLException {
        List<MessageReference> free = new ArrayList<>();
        JdbcStatement.of(connection, operations.lock(change), found)
                .within(TIMEOUT_SECONDS)
                .forEach(row -> {
                    free.add(new MessageReference(
                            row.getLong("seq"),
                            row.getString("message_id"),
                            row.getString("event_type"),
                            row.getString("destination"),
                            row.getString("correlation_id"),
                            row.getInt("attempts")));
                    // Only the first message of a blocked key can have a status other than pending.
                    QueueId queue = new QueueId(row.getLong("queue_id"));
                    if (queue.isBlockedKey() && !OutboxStatus.PENDING.name().equals(row.getString("status"))) {
                        opened.add(queue.value());
                    }
                });
        return free;
    }

    /**
     * Makes blocked keys due now: no claim reads a blocked key earlier, but its first message waits for no retry any
     * more.
     */
    private void setDueNow(Connection connection, Set<Long> opened) throws SQLException {
        for (long blockedKey : opened) {
            JdbcStatement.of(connection, blockedKeys.setDue, 0L, blockedKey)
                    .within(TIMEOUT_SECONDS)
                    .update();
        }
    }

    private void update(Connection connection, Change change, List<MessageReference> free) throws SQLException {
        List<Long> sequences = free.stream().map(MessageReference::sequence).toList();
        int changed = JdbcStatement.of(connection, operations.change(change), sequences)
                .within(TIMEOUT_SECONDS)
                .update();
        if (changed != free.size()) {
            throw new SQLException("%d messages were locked, but %d changed".formatted(free.size(), changed));
        }
    }

    @Override
    public Boolean pause(String destination, boolean paused, String who) {
        return connections.withConnection(paused ? "pausing" : "resuming", connection -> {
            String user = ColumnText.truncated(who, ColumnText.USER_LENGTH);
            int changed = JdbcStatement.of(
                            connection,
                            operations.pause,
                            paused ? 1 : 0,
                            user,
                            application,
                            destination,
                            paused ? 0 : 1)
                    .update();
            return changed > 0
                    ? Boolean.TRUE
                    : JdbcStatement.of(connection, operations.isPaused, application, destination)
                            .first(row -> Boolean.FALSE);
        });
    }

    @Override
    public void writeAudit(String who, String action, String subject, int changed, List<Long> sequences) {
        connections.withConnection("writing the audit", connection -> {
            audit.insert(connection, who, action, subject, changed, sequences);
            return null;
        });
    }

    @Override
    public AuditedOperation findAudit(String who, String action, String part, int most) {
        return connections.withConnection(
                "reading the audit", connection -> audit.find(connection, who, action, part, most));
    }

    @Override
    public boolean lockAudit(AuditedOperation entry) {
        return connections.withConnection("writing the audit", connection -> audit.lock(connection, entry));
    }

    @Override
    public void extendAudit(int id, String subject, int changed, List<Long> sequences) {
        connections.withConnection("writing the audit", connection -> {
            audit.grow(connection, id, subject, changed, sequences);
            return null;
        });
    }

    @Override
    public List<OutboxAuditEntry> lastAuditEntries(int most) {
        return connections.withConnection("reading the audit", connection -> audit.last(connection, most));
    }

    @Override
    public List<OutboxAuditEntry> history(String messageId, int most) {
        return connections.withConnection(
                "reading a message's history", connection -> audit.lastOfMessage(connection, messageId, most));
    }
}
