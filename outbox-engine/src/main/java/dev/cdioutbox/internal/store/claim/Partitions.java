package dev.cdioutbox.internal.store.claim;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
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
    /**
     * Sorts out the rows of a query.
     *
     * @param delayed the partition of delayed messages, which is found if some are due
     * @param after the partition after which the service begins
     */
    static Partitions of(List<Found> rows, long delayed, long after) {
        List<Found> waiting = rows.stream().filter(row -> row.id != delayed).toList();
        List<Found> chosen = waiting.stream()
                .filter(Found::isChosen)
                .sorted(Comparator.comparing((Found row) -> row.id <= after).thenComparing(Found::id))
                .toList();
        return new Partitions(
                chosen.stream().map(Found::id).toList(),
                chosen.stream().filter(Found::hasDueBlockedKeys).map(Found::id).toList(),
                rows.stream().anyMatch(row -> row.id == delayed),
                chosen.size() < waiting.size());
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
     * @param firstSequence the first message that waits there; 0 if none does, and where there are no watermarks
     * @param isChosen whether the query has locked the partition; true if it was to lock none
     */
    record Found(long id, boolean hasDueBlockedKeys, long firstSequence, boolean isChosen) {
        static Found of(ResultSet row, int most) throws SQLException {
            return new Found(
                    row.getLong("id"),
                    row.getInt("blocked_keys") == 1,
                    row.getLong("first_seq"),
                    most == 0 || row.getInt("chosen") == 1);
        }
    }
}
