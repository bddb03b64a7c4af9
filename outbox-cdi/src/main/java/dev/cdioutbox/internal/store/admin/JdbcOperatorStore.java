package dev.cdioutbox.internal.store.admin;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxAuditEntry;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.MessageReference;
import dev.cdioutbox.internal.store.OperatorStore;
import dev.cdioutbox.internal.store.audit.AuditTable;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable;
import dev.cdioutbox.internal.store.dialect.Dialect;
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
    private final MessageFinder finder;
    private final BlockedKeyTable blockedKeys;
    private final AuditTable audit;
    private final ReadWatermark watermark;
    private final ControlTable control;
    private final String sequence;
    /** Have the status in the condition, to skip messages that another transaction has changed since the query. */
    private final Map<Change, String> locks = new EnumMap<>(Change.class);

    private final Map<Change, String> changes = new EnumMap<>(Change.class);

    public JdbcOperatorStore(
            Connections connections,
            String application,
            String prefix,
            Dialect dialect,
            MessageFinder finder,
            BlockedKeyTable blockedKeys,
            AuditTable audit,
            ReadWatermark watermark) {
        this.connections = connections;
        this.application = application;
        this.finder = finder;
        this.blockedKeys = blockedKeys;
        this.audit = audit;
        this.watermark = watermark;
        control = new ControlTable(application, prefix, dialect);
        String message = prefix + "message";
        sequence = "SELECT seq FROM %s WHERE message_id = ? AND application = ?".formatted(message);
        String home = """
                (SELECT p.id FROM %1$spartition p WHERE p.application = %2$s.application
                  AND p.destination = %2$s.destination AND p.partition_no = %2$s.partition_no)""".formatted(prefix, message);
        // A message with an expired time to live would be settled unsent. MariaDB assigns columns one after the other,
        // so the status must be last.
        changes.put(Change.RETRY, """
                expires_at = CASE WHEN status = 'FAILED' AND expires_at > %s THEN expires_at END,
                attempts = 0, available_at = NULL, queue_id = CASE WHEN %s THEN queue_id ELSE %s END,
                status = 'PENDING'""".formatted(dialect.now(), QueueId.IS_BLOCKED_KEY, home));
        changes.put(
                Change.DISCARD,
                "status = 'DISCARDED', last_attempt_at = " + dialect.now() + ", available_at = NULL, "
                        + QueueId.SETTLE);
        changes.put(Change.REPLAY, """
                status = 'PENDING', attempts = 0, available_at = NULL, expires_at = NULL, published_at = NULL,
                last_error = NULL, shadow_destination = NULL, broker_message_id = NULL, queue_id = %s""".formatted(home));
        for (Change change : Change.values()) {
            String changeable = changeable(change, dialect);
            changes.computeIfPresent(
                    change, (same, set) -> "UPDATE " + message + " SET " + set + " WHERE " + changeable);
            locks.put(
                    change,
                    dialect.lockSkipLocked(
                            "seq, message_id, event_type, destination, correlation_id, attempts, queue_id, status",
                            dialect.byPrimaryKey(message),
                            changeable));
        }
    }

    /** Excludes messages with an erased payload (outbox.retention.payload=erase), which cannot be sent again. */
    private static String changeable(Change change, Dialect dialect) {
        String states =
                change.from().stream().map(state -> "'" + state + "'").sorted().collect(Collectors.joining(", "));
        String unerased = change == Change.REPLAY
                ? " AND NOT (payload_bytes > 0 AND %s)".formatted(dialect.isEmptyText("payload"))
                : "";
        return "status IN (" + states + ")" + unerased + " AND seq IN (%s)";
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
        return connections.withConnection(
                "looking for a message", connection -> JdbcStatement.of(connection, sequence, messageId, application)
                        .number());
    }

    @Override
    public List<ChangeCandidate> changeCandidates(Change change, OutboxFilter filter) {
        return connections.withConnection(
                "looking for messages", connection -> finder.candidates(connection, change, filter));
    }

    @Override
    public CandidateCount countCandidates(Change change, OutboxFilter filter, int cap) {
        return connections.withConnection(
                "counting messages", connection -> finder.countCandidates(connection, change, filter, cap));
    }

    /**
     * Skips rows that a delivery locks: a row in doubt would block the operator.
     *
     * @param opened receives the blocked keys whose first message is among the locked ones
     */
    private List<MessageReference> lock(Connection connection, Change change, List<Long> found, Set<Long> opened)
            throws SQLException {
        List<MessageReference> free = new ArrayList<>();
        JdbcStatement.of(connection, locks.get(change), found)
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
            blockedKeys.setDue(connection, blockedKey, Duration.ZERO);
        }
    }

    private void update(Connection connection, Change change, List<MessageReference> free) throws SQLException {
        List<Long> sequences = free.stream().map(MessageReference::sequence).toList();
        int changed = JdbcStatement.of(connection, changes.get(change), sequences)
                .within(TIMEOUT_SECONDS)
                .update();
        if (changed != free.size()) {
            throw new SQLException("%d messages were locked, but %d changed".formatted(free.size(), changed));
        }
    }

    @Override
    public Boolean pause(String destination, boolean paused, String who) {
        return connections.withConnection(
                paused ? "pausing" : "resuming", connection -> control.pause(connection, destination, paused, who));
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
    public void extendAudit(AuditedOperation entry, String subject, int changed, List<Long> sequences) {
        connections.withConnection("writing the audit", connection -> {
            audit.extend(connection, entry, subject, changed, sequences);
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
