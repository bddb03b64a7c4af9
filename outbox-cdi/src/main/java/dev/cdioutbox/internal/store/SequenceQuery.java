package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;

/** Asks something about many rows at once. */
final class SequenceQuery {
    private SequenceQuery() {}

    /**
     * Those of these rows that a statement finds.
     *
     * @param statement by the number of its parameters, which are sequences
     */
    static Set<Long> among(Collection<Long> sequences, Connection connection, IntFunction<String> statement)
            throws SQLException {
        if (sequences.isEmpty()) {
            return Set.of();
        }
        List<Long> wanted = List.copyOf(sequences);
        int parameters = Statements.padded(wanted.size());
        Set<Long> found = new HashSet<>();
        try (PreparedStatement select = connection.prepareStatement(statement.apply(parameters))) {
            for (int i = 0; i < parameters; i++) {
                select.setLong(i + 1, wanted.get(Math.min(i, wanted.size() - 1)));
            }
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getLong(1));
                }
            }
        }
        return found;
    }
}
