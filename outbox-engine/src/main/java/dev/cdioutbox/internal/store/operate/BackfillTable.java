package dev.cdioutbox.internal.store.operate;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.capture.MessageInsert;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.settle.DeliveryTable;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxBackfill;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;

/**
 * Backfills: the last one of each destination, in its control row.
 *
 * <p><b>The order of a key.</b> A copy is inserted later than what was fired since, so its sequence is higher. Therefore the
 * copies wait in a separate partition, in the order of their originals, since one transaction at a time copies. While
 * the control row names this partition, claims of the destination skip the others. The backfill ends when the partition and
 * its blocked keys are empty.
 *
 * <p>What the destination has already, and has not sent yet, moves behind the copies of older messages: while a new version
 * is being deployed, an old node may have stored a later event of the key for the source alone.
 *
 * <p><b>Nothing twice.</b> The position advances in the transaction that copies, and a copy has the id that the event's own
 * message for this destination would have, or has.
 *
 * <p>Thread-safe. The methods for operators run in the caller's JTA transaction.
 */
public final class BackfillTable {
    private static final String COLUMNS = """
            destination, backfill_source, backfill_types, {time backfill_from} AS backfill_from, backfill_position, backfill_end,
              backfill_copied, backfill_present, backfill_skipped, {time backfill_started_at} AS backfill_started_at,
              {time backfill_ended_at} AS backfill_ended_at, paused""";

    /** In messages whose payloads are in memory: 50 MiB with the default limit of a payload. */
    public static final int BATCH_SIZE = 50;

    /** In characters, of all names of types with their separators. */
    public static final int MAX_TYPES_LENGTH = 2000;

    /** No name of a type has a line break. */
    public static final String SEPARATOR = "\n";

    /** In seconds. The statements wait for no lock of a delivery. */
    private static final int TIMEOUT_SECONDS = 60;

    private final Connections operating;
    private final Connections dispatching;
    private final String application;
    private final Dialect dialect;
    private final PartitionIds partitions;
    private final MessageFinder finder;
    private final MessageInsert newMessages;
    private final String start;
    private final String cancel;
    private final String all;
    private final String running;
    private final String lock;
    private final String begin;
    private final String advance;
    private final String endIfSent;
    private final String read;
    private final String highest;
    private final String present;
    private final String lockPartitions;
    private final String lockWaiting;
    private final String removeWaiting;
    private final String removeMessages;

    /**
     * @param operating for operators
     * @param dispatching for the copies
     */
    public BackfillTable(
            Connections operating,
            Connections dispatching,
            String application,
            Sql tables,
            PartitionIds partitions,
            MessageFinder finder,
            MessageInsert newMessages) {
        this.operating = operating;
        this.dispatching = dispatching;
        this.application = application;
        this.dialect = tables.dialect();
        this.partitions = partitions;
        this.finder = finder;
        this.newMessages = newMessages;
        Sql sql = tables.with("row", "application = :application AND destination = :destination")
                .with("columns", COLUMNS);
        start = sql.of("""
                UPDATE {control} SET backfill_partition = :partition, backfill_source = :source, backfill_types = :types,
                  backfill_from = {time :from}, backfill_position = 0, backfill_end = NULL, backfill_copied = 0, backfill_present = 0,
                  backfill_skipped = 0, backfill_started_at = {now}, backfill_ended_at = NULL WHERE {row} AND backfill_partition IS NULL""");
        cancel = sql.of("""
                UPDATE {control} SET backfill_end = backfill_position WHERE {row} AND backfill_partition IS NOT NULL
                  AND (backfill_end IS NULL OR backfill_end > backfill_position)""");
        all = sql.of("""
                SELECT {columns} FROM {control} WHERE application = :application AND backfill_started_at IS NOT NULL
                ORDER BY destination""");
        running = sql.of("""
                SELECT c.destination FROM {control} c WHERE c.application = :application AND c.backfill_partition IS NOT NULL
                  AND NOT EXISTS (SELECT 1 FROM {control} p WHERE p.application = c.application
                    AND p.destination IN (c.destination, '*') AND p.paused = 1)""");
        lock = sql.of("""
                SELECT {columns} FROM {control} /*! FORCE INDEX (PRIMARY) */
                WHERE {row} AND backfill_partition IS NOT NULL AND paused = 0 FOR UPDATE SKIP LOCKED""");
        begin = sql.of("UPDATE {control} SET backfill_position = :position, backfill_end = :end WHERE {row}");
        advance = sql.of("""
                UPDATE {control} SET backfill_position = :position, backfill_copied = backfill_copied + :copied,
                  backfill_present = backfill_present + :present, backfill_skipped = backfill_skipped + :skipped WHERE {row}""");
        endIfSent = sql.of("""
                UPDATE {control} SET backfill_ended_at = {now}, backfill_partition = NULL WHERE {row}
                  AND (SELECT q.seq FROM {queue} q WHERE q.queue_id = {control}.backfill_partition FETCH FIRST 1 ROWS ONLY) IS NULL
                  AND (SELECT q.seq FROM {blocked_key} g JOIN {queue} q ON q.queue_id = g.id
                    WHERE g.partition_id = {control}.backfill_partition FETCH FIRST 1 ROWS ONLY) IS NULL""");
        read = sql.of("SELECT {columns} FROM {control} WHERE {row}");
        highest = sql.of("SELECT MAX(seq) FROM {message}");
        present = sql.of("SELECT message_id, seq FROM {message} WHERE message_id IN (:ids)");
        lockPartitions = sql.of("""
                SELECT id FROM {partition} /*! FORCE INDEX (PRIMARY) */
                WHERE (leased_until IS NULL OR leased_until <= {now}) AND id IN (:partitions) FOR UPDATE SKIP LOCKED""");
        // What an operator has changed has left the order of its key, and so has a delayed message.
        lockWaiting = sql.of("""
                SELECT q.seq FROM {queue} q /*! FORCE INDEX (PRIMARY) */
                WHERE q.status = {PENDING} AND q.available_at IS NULL AND q.requeued_at IS NULL AND q.queue_id <> :backfill
                  AND q.queue_id = (SELECT m.partition_id FROM {message} m WHERE m.seq = q.seq)
                  AND NOT EXISTS (SELECT 1 FROM {audit_message} a WHERE a.seq = q.seq) AND q.seq IN (:sequences) FOR UPDATE SKIP LOCKED""");
        removeWaiting = sql.of(DeliveryTable.DELETE);
        removeMessages = sql.of("""
                DELETE /*! m */ FROM {message} /*! m FORCE INDEX (PRIMARY) */
                WHERE partition_id > 0 AND seq IN (:sequences)""");
    }

    /**
     * @param types with separators
     * @return false if a backfill of the destination runs already
     */
    public boolean start(String destination, String source, String types, Instant from) {
        return operating.withConnection(
                "starting a backfill",
                connection -> ofRow(connection, start, destination)
                                .set("partition", partitions.id(destination, PartitionIds.BACKFILL))
                                .set("source", source)
                                .set("types", types)
                                .set("from", dialect.timeValue(from))
                                .update()
                        > 0);
    }

    private JdbcStatement ofRow(Connection connection, String text, String destination) {
        return JdbcStatement.of(connection, text)
                .set("application", application)
                .set("destination", destination);
    }

    /**
     * Lets a backfill end where it is. Copies that wait are still sent, and first.
     *
     * @return false if nothing was left to copy
     */
    public boolean cancel(String destination) {
        return operating.withConnection(
                "cancelling a backfill",
                connection -> ofRow(connection, cancel, destination).update() > 0);
    }

    /** The last backfill of each destination that had one. */
    public List<OutboxBackfill> all() {
        return operating.withConnection("reading backfills", connection -> JdbcStatement.of(connection, all)
                .set("application", application)
                .list(this::row));
    }

    private BackfillRow row(ResultSet row) throws SQLException {
        long end = row.getLong("backfill_end");
        return new BackfillRow(
                row.getString("destination"),
                row.getString("backfill_source"),
                Set.of(row.getString("backfill_types").split(SEPARATOR)),
                dialect.time(row, "backfill_from"),
                row.getLong("backfill_position"),
                row.getObject("backfill_end") == null ? null : (Long) end,
                row.getInt("backfill_copied"),
                row.getInt("backfill_present"),
                row.getInt("backfill_skipped"),
                dialect.time(row, "backfill_started_at"),
                dialect.time(row, "backfill_ended_at"),
                row.getInt("paused") == 1);
    }

    /** The destinations whose backfill runs and is not paused. */
    public List<String> running() {
        return dispatching.withConnection("looking for backfills", connection -> JdbcStatement.of(connection, running)
                .set("application", application)
                .list(row -> row.getString(1)));
    }

    /**
     * Copies the next messages in one short transaction outside of JTA, or ends the backfill if nothing is left to copy and
     * all copies have been sent.
     *
     * @param external whether the destination may see only what an external one may
     * @return the progress; null if the backfill is paused, does not run, is continued by another node, or waits for a batch
     *     that was in flight at its start
     */
    public BackfillRow copyNext(String destination, boolean external) {
        return dispatching.inLocalTransaction("backfilling destination '" + destination + "'", connection -> {
            BackfillRow locked =
                    ofRow(connection, lock, destination).within(TIMEOUT_SECONDS).first(this::row);
            if (locked == null) {
                return null;
            }
            if (locked.hasCopiedAll()) {
                ofRow(connection, endIfSent, destination).update();
            } else if (locked.end() == null) {
                begin(connection, locked);
            } else if (!copy(connection, locked, external)) {
                return null;
            }
            BackfillRow now = ofRow(connection, read, destination).first(this::row);
            connection.commit();
            return now;
        });
    }

    /** In a transaction after the start, from whose commit on newer messages wait: the end includes all that may have passed. */
    private void begin(Connection connection, BackfillRow row) throws SQLException {
        // Zero in an empty table.
        long last = JdbcStatement.of(connection, highest).number();
        OutboxFilter since = OutboxFilter.all().withCreated(row.from(), null);
        OutboxPageRequest range =
                finder.withinTimes(connection, since, OutboxPageRequest.of(1).withBefore(last + 1));
        ofRow(connection, begin, row.destination())
                .set("position", range.after())
                .set("end", last)
                .update();
    }

    /** @return false if nothing was done */
    private boolean copy(Connection connection, BackfillRow row, boolean external) throws SQLException {
        long to = finder.windowEnd(connection, row.position(), row.end());
        OutboxFilter kept = OutboxFilter.all().withDestination(row.source()).withCreated(row.from(), null);
        List<Long> found = finder.oldest(
                connection,
                kept,
                row.eventTypes(),
                OutboxPageRequest.of(BATCH_SIZE).withAfter(row.position()).withBefore(to + 1));
        List<OutboxMessage> wanted = finder.read(connection, found).stream()
                .filter(BackfillTable::isWanted)
                .toList();
        Map<UUID, NewMessage> copies = new LinkedHashMap<>();
        wanted.stream()
                .map(original -> NewMessage.backfill(original, row.destination(), external))
                .forEach(copy -> copies.putIfAbsent(copy.id(), copy));
        Map<UUID, Long> there = present(connection, copies.keySet());
        int copied = copies.size() - there.size();
        if (!there.isEmpty() && !move(connection, row.destination(), there, copies)) {
            return false;
        }
        if (!copies.isEmpty()) {
            newMessages.insert(connection, List.copyOf(copies.values()));
        }
        ofRow(connection, advance, row.destination())
                .set("position", found.size() == BATCH_SIZE ? found.get(BATCH_SIZE - 1) : to)
                .set("copied", copied)
                .set("present", wanted.size() - copied)
                .set("skipped", found.size() - wanted.size())
                .update();
        return true;
    }

    private static boolean isWanted(OutboxMessage message) {
        OutboxStatus status = message.delivery().status();
        return status != OutboxStatus.EXPIRED
                && status != OutboxStatus.DISCARDED
                && !message.terms().isExpired()
                && !message.body().payload().isErased()
                // A copy comes later in the table than in the order of its key.
                && message.context().originSequence() == null;
    }

    /** Of those copies that the destination has already, the sequences of its messages. */
    private Map<UUID, Long> present(Connection connection, Set<UUID> copies) throws SQLException {
        Map<UUID, Long> there = new HashMap<>();
        if (!copies.isEmpty()) {
            List<String> ids = copies.stream().map(UUID::toString).toList();
            JdbcStatement.of(connection, present)
                    .set("ids", ids)
                    .forEach(row -> there.put(UUID.fromString(row.getString(1)), row.getLong(2)));
        }
        return there;
    }

    /**
     * Takes those of the destination's messages that wait out of the table, and puts them into the place of their copies.
     *
     * @param copies loses those of the other messages
     * @return false, and nothing is done, if a delivery works on the destination's newer messages
     */
    private boolean move(Connection connection, String destination, Map<UUID, Long> there, Map<UUID, NewMessage> copies)
            throws SQLException {
        long backfill = partitions.id(destination, PartitionIds.BACKFILL);
        List<Long> others = partitions.claimed(destination).stream()
                .filter(id -> id != backfill)
                .toList();
        int idle = JdbcStatement.of(connection, lockPartitions)
                .set("partitions", others)
                .numbers()
                .size();
        if (idle < others.size()) {
            return false;
        }
        List<Long> waiting = JdbcStatement.of(connection, lockWaiting)
                .set("backfill", backfill)
                .set("sequences", there.values())
                .numbers();
        List<OutboxMessage> moved = finder.read(connection, waiting);
        if (!moved.isEmpty()) {
            List<Long> sequences = moved.stream().map(OutboxMessage::sequence).toList();
            JdbcStatement.of(connection, removeWaiting)
                    .set("sequences", sequences)
                    .update();
            JdbcStatement.of(connection, removeMessages)
                    .set("sequences", sequences)
                    .update();
        }
        Map<UUID, NewMessage> again = moved.stream().collect(Collectors.toMap(OutboxMessage::id, NewMessage::moved));
        copies.keySet().removeIf(id -> there.containsKey(id) && !again.containsKey(id));
        copies.putAll(again);
        return true;
    }
}
