package dev.cdioutbox.internal.store.watermark;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongSupplier;

import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * The sequence of each partition below which nothing waits: claims and the backlog read above it. It is in memory, and a
 * lower one is never wrong. Thread-safe.
 */
public interface ReadWatermark {
    /** Each partition is read from its beginning. */
    ReadWatermark NONE = new ReadWatermark() {};

    static ReadWatermark of(String prefix, Dialect dialect, LongSupplier nanos) {
        return dialect.hasReadWatermark()
                ? new PostgresqlReadWatermark(prefix, dialect, new CommitWatermark(prefix), nanos)
                : NONE;
    }

    /** To be called at the beginning of a READ COMMITTED transaction, before the reads that use the watermarks. */
    default void refresh(Connection connection) throws SQLException {}

    /**
     * Refreshes and raises the watermarks of partitions that no node claims, since they are empty or paused. Does
     * nothing without auto-commit, since each statement must see all commits before it.
     */
    default void raiseUnclaimed(Connection connection, String application) throws SQLException {}

    /** The watermark of a partition: its rows up to this sequence are not read. */
    default long of(long partition) {
        return 0;
    }

    /** No transaction inserts a row up to this sequence any more. To be read before the rows that {@link #raise} needs. */
    default long commitWatermark() {
        return 0;
    }

    /**
     * A partition had no row up to a sequence.
     *
     * @param from the watermark above which the partition was read
     * @param to at most the commit watermark before that read
     */
    default void raise(long partition, long from, long to) {}

    /** A committed message waits in this partition again: its watermark goes below the message. */
    default void requeued(long partition, long sequence) {}

    /** An operator requeues messages: the next claim, or one soon after the commit, searches for them. */
    default void querySoon() {}

    /** A condition on the messages {@code m} of a partition {@code p}, with the parameter of {@link #bind}. */
    default String condition() {
        return "";
    }

    /**
     * Sets the parameter of the {@link #condition}.
     *
     * @param partitions the ids of a destination's partitions, by number
     * @return the index of the last parameter that is set
     */
    default int bind(PreparedStatement statement, int last, List<Integer> partitions) throws SQLException {
        return last;
    }

    /** Whether there are watermarks, so that statements have parameters for them. */
    default boolean isKept() {
        return false;
    }

    /**
     * Sets the first parameters of a statement on all partitions: their ids, and their watermarks.
     *
     * @return the index of the last parameter that is set
     */
    default int bindAll(PreparedStatement statement) throws SQLException {
        return 0;
    }
}
