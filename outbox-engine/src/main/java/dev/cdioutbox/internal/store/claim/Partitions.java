package dev.cdioutbox.internal.store.claim;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Partitions of one destination with waiting messages.
 *
 * @param ids in the order of service
 * @param withDueBlockedKeys those of them that have a due blocked key
 * @param delayedAreDue whether delayed messages of the destination are due
 * @param foundLocked whether messages also wait in partitions that are locked, or above the limit
 */
record Partitions(List<Long> ids, List<Long> withDueBlockedKeys, boolean delayedAreDue, boolean foundLocked) {

    /** All that a query has found, in its order. */
    static Partitions of(List<Found> rows) {
        List<Found> partitions = rows.stream().filter(row -> !row.isDelayed()).toList();
        return new Partitions(
                partitions.stream().map(Found::id).toList(),
                partitions.stream()
                        .filter(Found::hasDueBlockedKeys)
                        .map(Found::id)
                        .toList(),
                partitions.size() < rows.size(),
                false);
    }

    Partitions only(List<Long> some) {
        return new Partitions(
                some,
                withDueBlockedKeys.stream().filter(some::contains).toList(),
                delayedAreDue,
                some.size() < ids.size());
    }

    /**
     * A row of the query.
     *
     * @param isDelayed whether it is the partition of delayed messages, which is found if some are due
     * @param firstSequence the first message that waits there; 0 if none does, and where there are no watermarks
     * @param isLocked whether the query has locked the partition
     */
    record Found(long id, boolean isDelayed, boolean hasDueBlockedKeys, long firstSequence, boolean isLocked) {
        /** The delayed messages come after the partitions, of which a query has two sections. */
        static final int DELAYED_SECTION = 2;

        static Found of(ResultSet row) throws SQLException {
            return new Found(
                    row.getLong("id"),
                    row.getInt("section") == DELAYED_SECTION,
                    row.getInt("blocked_keys") == 1,
                    row.getLong("first_seq"),
                    row.getLong("locked") == row.getLong("id"));
        }

        static List<Long> locked(List<Found> rows) {
            return rows.stream().filter(Found::isLocked).map(Found::id).toList();
        }
    }
}
