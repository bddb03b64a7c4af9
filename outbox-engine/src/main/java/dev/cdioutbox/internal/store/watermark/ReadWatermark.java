package dev.cdioutbox.internal.store.watermark;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * The sequence of each partition up to which no message waits: claims and the backlog read above it. Watermarks are in
 * memory, and a lower value is always safe. Thread-safe.
 */
public interface ReadWatermark {
    /** No watermarks: each read begins at the start of a partition. */
    ReadWatermark NONE = new ReadWatermark() {};

    static ReadWatermark of(String application, Sql sql, LongSupplier nanos) {
        return sql.dialect() == SupportedDatabases.POSTGRESQL
                ? new PostgresqlReadWatermark(application, sql, new PostgresqlCommitWatermark(sql), nanos)
                : NONE;
    }

    /** The watermark of a partition: reads skip its rows up to this sequence. */
    default long of(long partition) {
        return 0;
    }

    /**
     * The commit watermark: no transaction inserts a row up to this sequence any more. Read it before the rows that
     * {@link #raise} needs.
     */
    default long commitWatermark() {
        return 0;
    }

    /**
     * Raises a watermark after a read that found no row up to a sequence.
     *
     * @param from the watermark that the read used
     * @param to at most the commit watermark before that read
     */
    default void raise(long partition, long from, long to) {}

    /** Lowers the watermark of a partition below a committed message that waits again. */
    default void requeued(long partition, long sequence) {}

    /** Reports that an operator requeues messages, or that a claim has failed: the next claim refreshes the watermarks. */
    default void querySoon() {}

    /**
     * Refreshes the watermarks if claims have found messages since the last time, or after {@link #querySoon}. Call this at
     * the beginning of a READ COMMITTED transaction, before the reads that use them.
     */
    default void refresh(Connection connection) throws SQLException {}

    /**
     * Does what does not depend on claims: searches for requeued messages, and raises the watermarks of partitions that this
     * node does not claim. Call this every few seconds, on an idle node too. Does nothing without auto-commit, because each
     * statement must see all commits before it.
     */
    default void refreshIdle(Connection connection) throws SQLException {}

    /** An array in PostgreSQL's notation. */
    static String array(Collection<Long> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }

    /**
     * The parameters of a statement on all partitions with a watermark: {@code :partitions} and {@code :watermarks}, two arrays
     * of the same length. None where there are no watermarks.
     */
    default Map<String, Object> parameters() {
        return Map.of();
    }
}
