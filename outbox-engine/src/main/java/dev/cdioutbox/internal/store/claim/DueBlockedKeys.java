package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.Texts;

/** Finds the blocked keys whose queues a claim reads beside their partitions. Thread-safe. */
final class DueBlockedKeys {
    private final Dialect dialect;
    private final String ofOnePartition;
    /** By the number of partitions. */
    private final Texts<Integer> ofPartitions;

    DueBlockedKeys(Sql sql) {
        dialect = sql.dialect();
        // In a query of its own, since Oracle and SQL Server refuse an order within the parentheses of a union.
        ofOnePartition = sql.of("""
                SELECT * FROM (SELECT id, partition_id, message_key FROM {blocked_key}
                  WHERE partition_id = ? AND due_at <= {now}
                  ORDER BY partition_id, due_at FETCH FIRST ? ROWS ONLY) part""");
        ofPartitions =
                new Texts<>(partitions -> String.join(" UNION ALL ", Collections.nCopies(partitions, ofOnePartition)));
    }

    /**
     * The ids of the blocked keys, by partition. A partition with more than its share has those that have been due longest.
     *
     * @param partitions at least one
     * @param inDoubt the keys to leave out
     */
    Map<Long, List<Long>> find(Connection connection, List<Long> partitions, Set<String> inDoubt) throws SQLException {
        int share = ClaimLimits.blockedKeysOfEach(partitions.size());
        List<Object> parameters = new ArrayList<>();
        for (long partition : partitions) {
            parameters.add(partition);
            // Those in doubt may come first, and must not hide the others.
            parameters.add(share + inDoubt.size());
        }
        Map<Long, List<Long>> found = new HashMap<>();
        JdbcStatement.of(connection, ofPartitions.of(partitions.size()))
                .setRepeated(parameters)
                .forEach(row -> {
                    List<Long> keys =
                            found.computeIfAbsent(row.getLong("partition_id"), partition -> new ArrayList<>());
                    if (keys.size() < share && !inDoubt.contains(dialect.decodeText(row.getString("message_key")))) {
                        keys.add(row.getLong("id"));
                    }
                });
        return found;
    }
}
