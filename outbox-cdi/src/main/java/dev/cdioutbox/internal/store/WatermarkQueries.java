package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Queries over all partitions, above and below their read watermarks. */
final class WatermarkQueries {
    /** With so many, the partition is read in order again. */
    static final int MAX_REQUEUED_PER_PARTITION = 100;

    private final String below;
    private final String above;

    WatermarkQueries(String prefix, Dialect dialect) {
        // Messages in the partition of delayed messages have no order.
        above = """
                SELECT p.id, COALESCE(f.watermark, 0) AS watermark,
                  (SELECT m.seq FROM %1$smessage m WHERE m.queue_id = p.id AND m.seq > COALESCE(f.watermark, 0)
                    ORDER BY m.queue_id, m.seq %2$s) AS first
                FROM %1$spartition p
                LEFT JOIN unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS f(queue_id, watermark) ON f.queue_id = p.id
                WHERE p.application = ? AND p.partition_no >= 0""".formatted(prefix, dialect.limit("1"));
        below = """
                SELECT b.queue_id, b.seq
                FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS f(queue_id, watermark)
                CROSS JOIN LATERAL (SELECT m.queue_id, m.seq FROM %smessage m
                  WHERE m.queue_id = f.queue_id AND m.seq <= f.watermark ORDER BY m.queue_id, m.seq %s) b""".formatted(prefix, dialect.limit(String.valueOf(MAX_REQUEUED_PER_PARTITION)));
    }

    /** Raises the watermarks of empty partitions, although no node claims them. */
    void raiseUnclaimed(Connection connection, String application, ReadWatermarks watermarks) throws SQLException {
        long commitWatermark = watermarks.commitWatermark();
        Map<Long, Long> known = watermarks.all();
        try (PreparedStatement select = connection.prepareStatement(above)) {
            select.setString(1, arrayLiteral(known.keySet()));
            select.setString(2, arrayLiteral(known.values()));
            select.setString(3, application);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    long first = rows.getLong("first");
                    long empty = rows.wasNull() ? commitWatermark : Math.min(commitWatermark, first - 1);
                    watermarks.raise(rows.getLong("id"), rows.getLong("watermark"), empty);
                }
            }
        }
    }

    /**
     * Finds messages below the watermarks, whichever node requeued them. Reads all settled entries, so it must be rare.
     *
     * @param seconds the time-out of the query
     */
    void findBelow(Connection connection, ReadWatermarks watermarks, int seconds) throws SQLException {
        watermarks.dropReached();
        Map<Long, Long> known = watermarks.all();
        Set<Long> gone = new HashSet<>(watermarks.requeuedBelow());
        Map<Long, List<Long>> found = new HashMap<>();
        try (PreparedStatement look = connection.prepareStatement(below)) {
            look.setQueryTimeout(seconds);
            look.setString(1, arrayLiteral(known.keySet()));
            look.setString(2, arrayLiteral(known.values()));
            try (ResultSet rows = look.executeQuery()) {
                while (rows.next()) {
                    found.computeIfAbsent(rows.getLong(1), queue -> new ArrayList<>())
                            .add(rows.getLong(2));
                    gone.remove(rows.getLong(2));
                }
            }
        }
        watermarks.remove(gone);
        found.forEach((queue, sequences) -> {
            if (sequences.size() == MAX_REQUEUED_PER_PARTITION) {
                watermarks.lower(queue, Collections.min(sequences) - 1);
            } else {
                sequences.forEach(sequence -> watermarks.requeued(queue, sequence));
            }
        });
    }

    /** As PostgreSQL writes an array. */
    static String arrayLiteral(Collection<?> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }
}
