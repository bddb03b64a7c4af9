package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Statements with a list of sequences, whose length is padded. */
public final class SequenceInList {
    private SequenceInList() {}

    /**
     * The number of parameters for a count: rounded up to a power of two, so that the database prepares few different
     * statements. At most 1000 for counts up to 1000, since some databases refuse more.
     */
    public static int paddedCount(int count) {
        int paddedCount = count <= 1 ? 1 : Integer.highestOneBit(count - 1) << 1;
        return count <= 1000 ? Math.min(paddedCount, 1000) : paddedCount;
    }

    /** This number of question marks. */
    public static String placeholders(int parameters) {
        return IntStream.range(0, parameters).mapToObj(i -> "?").collect(Collectors.joining(", "));
    }

    /** Runs an update of these rows, whose sequences are its only parameters. */
    public static int execute(Connection connection, String statement, List<Long> sequences, int timeoutSeconds)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(statement)) {
            return execute(update, 0, sequences, timeoutSeconds);
        }
    }

    /** Runs an update of these rows, whose sequences follow the parameters already set. */
    public static int execute(PreparedStatement update, int after, List<Long> sequences, int timeoutSeconds)
            throws SQLException {
        bind(update, after, sequences, timeoutSeconds);
        return update.executeUpdate();
    }

    /** Sets the parameters after the first ones, and repeats the last sequence up to the padded count. */
    public static void bind(PreparedStatement statement, int after, List<Long> sequences, int timeoutSeconds)
            throws SQLException {
        statement.setQueryTimeout(timeoutSeconds);
        for (int i = 0; i < paddedCount(sequences.size()); i++) {
            statement.setLong(after + i + 1, sequences.get(Math.min(i, sequences.size() - 1)));
        }
    }
}
