package dev.cdioutbox.internal.store.operate;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.settle.BlockedKeyTable;
import dev.cdioutbox.internal.store.settle.DeliveryTable;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.StatusCode;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;

/**
 * Operators' changes to the tables. A change first locks the queue row or the delivery of each message, and skips what
 * others have locked. A retry updates the queue row, a discard replaces it by a delivery, and a replay does the reverse.
 *
 * <p>Thread-safe; each method runs in the caller's JTA transaction.
 */
public final class OperatorStore {
    private static final String LOCK_WAITING = """
            SELECT seq, queue_id, status FROM {queue} /*! FORCE INDEX (PRIMARY) */
            WHERE status IN ({statuses}) AND seq IN (:sequences) FOR UPDATE SKIP LOCKED""";

    /** Excludes messages with an erased payload (outbox.retention.payload=erase), which cannot be sent again. */
    private static final String LOCK_SETTLED = """
            SELECT seq, 0 AS queue_id, status FROM {delivery} d /*! FORCE INDEX (PRIMARY) */
            WHERE status IN ({statuses}) AND seq IN (:sequences) AND NOT EXISTS (
              SELECT 1 FROM {message} m WHERE m.seq = d.seq AND {is erased}) FOR UPDATE SKIP LOCKED""";

    private final Connections connections;
    private final String application;
    private final ColumnText texts;
    private final Set<String> cdc;
    private final BlockedKeyTable blockedKeys;
    private final AuditTable audit;
    private final BlockedKeyFinder blockedKeyFinder;
    private final ReadWatermark watermark;
    private final ControlTable control;
    private final DeliveryTable deliveries;
    private final ErasureTable erasures;
    private final String sequence;
    private final String bringHome;
    private final String destinations;
    private final String retry;
    private final String replay;
    /** Have the status in the condition, to skip messages that another transaction has changed since the query. */
    private final Map<MessageOperation, String> locks = new EnumMap<>(MessageOperation.class);

    public OperatorStore(
            Connections connections,
            StoreConfig config,
            Sql sql,
            BlockedKeyTable blockedKeys,
            DeliveryTable deliveries,
            AuditTable audit,
            ReadWatermark watermark) {
        this.connections = connections;
        this.application = config.application();
        this.texts = sql.texts();
        this.cdc = config.cdc().destinations();
        this.blockedKeys = blockedKeys;
        this.deliveries = deliveries;
        this.audit = audit;
        blockedKeyFinder = new BlockedKeyFinder(connections, application, sql, BlockedKeyFinder.ROWS);
        this.watermark = watermark;
        control = new ControlTable(application, sql);
        erasures = new ErasureTable(application, sql);
        sequence = sql.of("SELECT seq FROM {message} WHERE message_id = :message AND application = :application");
        bringHome = sql.of("""
                UPDATE {queue} SET queue_id = (SELECT m.partition_id FROM {message} m WHERE m.seq = {queue}.seq)
                WHERE queue_id = :key AND EXISTS (SELECT 1 FROM {message} n WHERE n.seq = {queue}.seq)""");
        destinations = sql.of("SELECT DISTINCT destination FROM {message} WHERE seq IN (:sequences)");
        // A requeued message does not expire. Only the retry of a failed message keeps a time to live that is not
        // over, and leaves requeued_at. MariaDB assigns columns one after the other, so the status must be last.
        retry = sql.of("""
                UPDATE {queue} /*! FORCE INDEX (PRIMARY) */ SET requeued_at = CASE WHEN status = {FAILED}
                    AND (SELECT m.expires_at FROM {message} m WHERE m.seq = {queue}.seq) > {now} THEN requeued_at ELSE {now} END,
                  attempts = 0, unfinished_sends = 0, available_at = NULL,
                  queue_id = CASE WHEN EXISTS (SELECT 1 FROM {blocked_key} b WHERE b.id = {queue}.queue_id) THEN queue_id
                    ELSE (SELECT m.partition_id FROM {message} m WHERE m.seq = {queue}.seq) END,
                  status = {PENDING} WHERE seq IN (:sequences)""");
        replay = sql.of("""
                INSERT INTO {queue} (seq, queue_id, requeued_at, last_attempt_at)
                SELECT d.seq, (SELECT m.partition_id FROM {message} m WHERE m.seq = d.seq), {now}, d.settled_at FROM {delivery} d WHERE d.seq IN (:sequences)""");
        // An erasure has lock statements of its own.
        for (MessageOperation operation : EnumSet.complementOf(EnumSet.of(MessageOperation.ERASE))) {
            locks.put(
                    operation,
                    sql.with("statuses", StatusCode.list(operation.from()))
                            .with("is erased", MessageColumn.IS_ERASED)
                            .of(operation.isOfSettled() ? LOCK_SETTLED : LOCK_WAITING));
        }
    }

    /**
     * Changes the messages among these that are not locked and whose status allows the operation.
     *
     * @return the sequences of the changed messages
     */
    public List<Long> change(MessageOperation operation, List<Long> sequences) {
        return sequences.isEmpty()
                ? List.of()
                : connections.withConnection(
                        "changing messages", connection -> change(connection, operation, sequences));
    }

    /** Discards the messages among these that wait, and erases those that are settled then. Leaves out what others have locked. */
    public Erased erase(List<Long> sequences) {
        return sequences.isEmpty()
                ? new Erased(List.of(), List.of(), 0)
                : connections.withConnection("erasing messages", connection -> {
                    change(connection, MessageOperation.DISCARD, sequences);
                    return erasures.erase(connection, sequences);
                });
    }

    /** Deletes the archived messages that match a filter, which asks for contents, types, destinations and times only. */
    public int eraseArchived(OutboxFilter filter) {
        return connections.withConnection(
                "erasing archived messages", connection -> erasures.deleteArchived(connection, filter));
    }

    /** Deletes an archived message. */
    public int eraseArchived(String messageId) {
        return connections.withConnection(
                "erasing archived messages", connection -> erasures.deleteArchived(connection, messageId));
    }

    private List<Long> change(Connection connection, MessageOperation operation, List<Long> sequences)
            throws SQLException {
        Set<Long> opened = new TreeSet<>();
        List<Long> free = lock(connection, operation, sequences, opened);
        if (!free.isEmpty()) {
            changeLocked(connection, operation, free);
        }
        // No claim reads a blocked key before it is due, but its first message waits for no retry any more.
        for (long blockedKey : opened) {
            if (!blockedKeys.setDue(connection, blockedKey, Duration.ZERO)) {
                bringHome(connection, blockedKey);
            }
        }
        return free;
    }

    private void changeLocked(Connection connection, MessageOperation operation, List<Long> locked)
            throws SQLException {
        switch (operation) {
            case DISCARD -> deliveries.discard(connection, locked);
            case RETRY -> {
                requireDispatched(connection, operation, locked);
                update(connection, retry, locked);
            }
            case REPLAY -> {
                requireDispatched(connection, operation, locked);
                update(connection, replay, locked);
                deliveries.delete(connection, locked);
            }
            case REPLAY_AS_NEW, ERASE -> throw new IllegalArgumentException("is no change of a status");
        }
    }

    /** The row of the key was deleted, so no claim reads its queue. In their partition, its messages keep their order. */
    private void bringHome(Connection connection, long blockedKey) throws SQLException {
        JdbcStatement.of(connection, bringHome)
                .set("key", blockedKey)
                .within(JdbcStatement.LOCK_WAIT_SECONDS)
                .update();
    }

    private static void update(Connection connection, String statement, List<Long> sequences) throws SQLException {
        JdbcStatement.of(connection, statement)
                .set("sequences", sequences)
                .within(JdbcStatement.LOCK_WAIT_SECONDS)
                .update();
    }

    /** In the queue of another destination, the message would wait for ever. */
    private void requireDispatched(Connection connection, MessageOperation operation, List<Long> sequences)
            throws SQLException {
        if (cdc.isEmpty()) {
            return;
        }
        JdbcStatement.of(connection, destinations).set("sequences", sequences).list(row -> row.getString(1)).stream()
                .filter(cdc::contains)
                .findFirst()
                .ifPresent(destination -> {
                    throw OutboxCode.CDC_OPERATION.exception(destination, operation.action());
                });
    }

    /** Lets the next claim of this node find the messages that wait again. Call this after the commit of their change. */
    public void changeCommitted() {
        watermark.querySoon();
    }

    /** The sequence of the message with an id, even if the row is unreadable; null if there is none. */
    public Long sequence(String messageId) {
        return connections.withConnection("looking for a message", connection -> JdbcStatement.of(connection, sequence)
                .set("message", messageId)
                .set("application", application)
                .number());
    }

    /**
     * Skips rows that a delivery locks: a row in doubt would block the operator.
     *
     * @param opened receives the blocked keys whose first message is among the locked ones
     */
    private List<Long> lock(Connection connection, MessageOperation operation, List<Long> found, Set<Long> opened)
            throws SQLException {
        List<Long> free = new ArrayList<>();
        JdbcStatement.of(connection, locks.get(operation))
                .set("sequences", found)
                .within(JdbcStatement.LOCK_WAIT_SECONDS)
                .forEach(row -> {
                    free.add(row.getLong("seq"));
                    // Only the first message of a blocked key can have a status other than pending.
                    QueueId queue = new QueueId(row.getLong("queue_id"));
                    if (queue.isBlockedKey() && row.getInt("status") != StatusCode.PENDING) {
                        opened.add(queue.value());
                    }
                });
        return free;
    }

    /**
     * Pauses or resumes a destination.
     *
     * @return whether the call changed the row; null if there is no such destination
     */
    public Boolean pause(String destination, boolean paused, String who) {
        if (paused && (cdc.contains(destination) || destination.equals(OutboxOperations.ALL) && !cdc.isEmpty())) {
            throw OutboxCode.CDC_OPERATION.exception(cdc.contains(destination) ? destination : cdc, "pause");
        }
        return connections.withConnection(
                paused ? "pausing" : "resuming",
                connection -> control.pause(connection, destination, paused, texts.of(who, ColumnText.USER_LENGTH)));
    }

    /** Finds the keys that these operations can release. */
    public BlockedKeyFinder blockedKeys() {
        return blockedKeyFinder;
    }

    /** The audit of these operations. */
    public AuditTable audit() {
        return audit;
    }
}
