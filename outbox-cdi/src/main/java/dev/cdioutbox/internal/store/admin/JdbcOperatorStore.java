package dev.cdioutbox.internal.store.admin;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.SequenceInList;
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
        return connections.withConnection("looking for a message", connection -> {
            try (PreparedStatement select = connection.prepareStatement(operations.sequence)) {
                select.setString(1, messageId);
                select.setString(2, application);
                try (ResultSet row = select.executeQuery()) {
                    return row.next() ? (Long) row.getLong(1) : null;
                }
            }
        });
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
        int parameters = SequenceInList.paddedCount(found.size());
        try (PreparedStatement lock = connection.prepareStatement(operations.lock(change, parameters))) {
            SequenceInList.bind(lock, 0, found, TIMEOUT_SECONDS);
            List<MessageReference> free = new ArrayList<>();
            try (ResultSet rows = lock.executeQuery()) {
                while (rows.next()) {
                    free.add(new MessageReference(
                            rows.getLong("seq"),
                            rows.getString("message_id"),
                            rows.getString("event_type"),
                            rows.getString("destination"),
                            rows.getString("correlation_id"),
                            rows.getInt("attempts")));
                    // Only the first message of a blocked key can have a status other than pending.
                    QueueId queue = new QueueId(rows.getLong("queue_id"));
                    if (queue.isBlockedKey() && !OutboxStatus.PENDING.name().equals(rows.getString("status"))) {
                        opened.add(queue.value());
                    }
                }
            }
            return free;
        }
    }

    /**
     * Makes blocked keys due now: no claim reads a blocked key earlier, but its first message waits for no retry any
     * more.
     */
    private void setDueNow(Connection connection, Set<Long> opened) throws SQLException {
        for (long blockedKey : opened) {
            try (PreparedStatement update = connection.prepareStatement(blockedKeys.setDueNow)) {
                update.setQueryTimeout(TIMEOUT_SECONDS);
                update.setLong(1, blockedKey);
                update.executeUpdate();
            }
        }
    }

    private void update(Connection connection, Change change, List<MessageReference> free) throws SQLException {
        List<Long> sequences = free.stream().map(MessageReference::sequence).toList();
        String statement = operations.change(change, SequenceInList.paddedCount(sequences.size()));
        int changed = SequenceInList.execute(connection, statement, sequences, TIMEOUT_SECONDS);
        if (changed != free.size()) {
            throw new SQLException("%d messages were locked, but %d changed".formatted(free.size(), changed));
        }
    }

    @Override
    public Boolean pause(String destination, boolean paused, String who) {
        return connections.withConnection(paused ? "pausing" : "resuming", connection -> {
            try (PreparedStatement update = connection.prepareStatement(operations.pause)) {
                update.setInt(1, paused ? 1 : 0);
                update.setString(2, ColumnText.truncated(who, ColumnText.USER_LENGTH));
                update.setString(3, application);
                update.setString(4, destination);
                update.setInt(5, paused ? 0 : 1);
                return update.executeUpdate() > 0 ? Boolean.TRUE : known(connection, destination);
            }
        });
    }

    private Boolean known(Connection connection, String destination) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(operations.isPaused)) {
            select.setString(1, application);
            select.setString(2, destination);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Boolean.FALSE : null;
            }
        }
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
