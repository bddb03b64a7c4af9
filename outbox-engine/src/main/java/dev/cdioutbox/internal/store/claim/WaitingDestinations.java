package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;

import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/**
 * Finds the destinations of an application for which a claim may find something, with one statement for all of them. Asks what
 * {@link PartitionClaim} asks, but neither for pauses nor for leases. Thread-safe.
 */
final class WaitingDestinations {
    private static final String FIND = """
            SELECT DISTINCT p.destination FROM {partitions}
            WHERE p.application = :application AND (p.partition_no < :end AND ({first waiting} IS NOT NULL OR {due key})
              OR p.partition_no = {delayed} AND {first delayed} <= {now})""";

    private static final String PARTITIONS_ON_POSTGRESQL = """
            {partition} p LEFT JOIN unnest(CAST(:partitions AS BIGINT[]), CAST(:watermarks AS BIGINT[])) AS f(queue_id, watermark)
              ON f.queue_id = p.id""";

    private static final String FIRST_WAITING_ON_POSTGRESQL = """
            (SELECT q.seq FROM {queue} q
                WHERE (q.queue_id, q.seq) > (p.id, COALESCE(f.watermark, 0)) AND q.queue_id <= p.id
                ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY)""";

    /** The first entry is compared instead of searching by time, so that every database reads one row. */
    private static final String FIRST_DELAYED = """
            (SELECT q.available_at FROM {queue} q /*! FORCE INDEX ({index}queue_due) */
                WHERE q.queue_id = p.id AND q.available_at IS NOT NULL
                ORDER BY q.queue_id, q.available_at FETCH FIRST 1 ROWS ONLY)""";

    /** In seconds. A look that takes longer is worth less than the claims that it spares. */
    private static final int TIMEOUT_SECONDS = 5;

    private final PartitionIds partitions;
    private final ReadWatermark watermark;
    private final String planScansByIndex;
    private final String find;

    WaitingDestinations(Sql sql, PartitionIds partitions, ReadWatermark watermark) {
        this.partitions = partitions;
        this.watermark = watermark;
        planScansByIndex = sql.dialect().planScansByIndex();
        boolean hasWatermarks = sql.dialect() == SupportedDatabases.POSTGRESQL;
        find = sql.with("partitions", hasWatermarks ? PARTITIONS_ON_POSTGRESQL : "{partition} p")
                .with("first waiting", hasWatermarks ? FIRST_WAITING_ON_POSTGRESQL : PartitionClaim.FIRST_WAITING)
                .with("due key", PartitionClaim.DUE_KEY)
                .with("first delayed", FIRST_DELAYED)
                .with("delayed", PartitionIds.DELAYED)
                .of(FIND);
    }

    Set<String> find(Connection connection) throws SQLException {
        return new HashSet<>(JdbcStatement.of(connection, find)
                .setAll(watermark.parameters())
                .set("application", partitions.application())
                .set("end", partitions.end())
                .behind(planScansByIndex)
                .within(TIMEOUT_SECONDS)
                .list(row -> row.getString("destination")));
    }
}
