package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A statement with its parameters, for one execution. Each has a name, which stands in the statement as {@code :name}. A
 * parameter that is a collection becomes a list of question marks, whose length is {@linkplain #paddedCount padded}. Only a
 * part that is repeated, such as a row of VALUES, has question marks itself.
 */
public final class JdbcStatement {
    /**
     * How long a statement of the engine waits for a row that another transaction has locked. Healthy transactions lock
     * such rows for a moment only. One that is in doubt keeps them until its recovery, for which no commit may wait.
     */
    public static final int LOCK_WAIT_SECONDS = 30;

    /** Too long, of a letter that does not exist, or of one that the encoding lacks. */
    private static final Set<String> REFUSED_TEXT = Set.of("22001", "22021", "22P05");

    /** By its text, because a long statement takes time to search. At this number, the map is emptied. */
    private static final Map<String, Named> NAMED = new ConcurrentHashMap<>();

    private static final int MOST_NAMED = 1000;

    private final Connection connection;
    private final Named statement;
    private final Map<String, Object> parameters = new HashMap<>();
    private final List<Map<String, Object>> rows = new ArrayList<>();
    private List<?> repeated = List.of();
    private int timeoutSeconds;
    private String first;

    private JdbcStatement(Connection connection, Named statement) {
        this.connection = connection;
        this.statement = statement;
    }

    /** A statement, cut at its names. */
    private static final class Named {
        /** A named parameter, and no cast of PostgreSQL; or a question mark, whose name is null. */
        private static final Pattern NAME = Pattern.compile("(?<!:):([a-z]\\w*)|\\?");

        private final String[] pieces;
        private final List<String> names;
        private final Texts<Shape> texts = new Texts<>(this::text);

        Named(String text) {
            pieces = NAME.split(text, -1);
            names = NAME.matcher(text).results().map(name -> name.group(1)).collect(Collectors.toList());
        }

        private String text(Shape shape) {
            StringBuilder text = new StringBuilder(shape.first == null ? "" : shape.first + "; ").append(pieces[0]);
            for (int i = 0; i < names.size(); i++) {
                text.append(placeholders(shape.counts.get(i))).append(pieces[i + 1]);
            }
            return text.toString();
        }
    }

    /**
     * What the text depends on.
     *
     * @param counts the number of question marks for each name
     * @param first a query before the statement, or null
     */
    private record Shape(List<Integer> counts, String first) {}

    public static JdbcStatement of(Connection connection, String text) {
        if (NAMED.size() >= MOST_NAMED) {
            NAMED.clear();
        }
        return new JdbcStatement(connection, NAMED.computeIfAbsent(text, Named::new));
    }

    /**
     * Sets a parameter. One that the statement does not have is ignored, since statements for one purpose differ between
     * databases.
     *
     * @param value a number, a text, null, or a collection of them that is not empty
     */
    public JdbcStatement set(String name, Object value) {
        parameters.put(name, value instanceof Collection<?> values ? padded(values) : value);
        return this;
    }

    /** Sets parameters by their names. */
    public JdbcStatement setAll(Map<String, ?> values) {
        values.forEach(this::set);
        return this;
    }

    /** Sets the parameters of the part that is repeated, in their order. */
    public JdbcStatement setRepeated(List<?> values) {
        repeated = values;
        return this;
    }

    /** Repeats the last value up to the padded count. There is at least one. */
    public static <T> List<T> padded(Collection<? extends T> values) {
        List<T> padded = new ArrayList<>(values);
        int count = paddedCount(values.size());
        while (padded.size() < count) {
            padded.add(padded.get(padded.size() - 1));
        }
        return padded;
    }

    /** Limits the execution. Without a limit, the statement may wait for a lock for ever. */
    public JdbcStatement within(int seconds) {
        timeoutSeconds = seconds;
        return this;
    }

    /**
     * Sends a query before the statement, in the same round trip. For a database whose driver accepts two statements at once.
     *
     * @param query null for none
     */
    public JdbcStatement behind(String query) {
        first = query;
        return this;
    }

    /** @return the number of changed rows */
    public int update() throws SQLException {
        try (LimitedStatement update = prepare()) {
            update.prepared().execute();
            passFirst(update);
            return update.prepared().getUpdateCount();
        }
    }

    /** Adds an execution with these parameters to a batch, which {@link #updateBatch} sends. */
    public void addBatch() {
        rows.add(new HashMap<>(parameters));
    }

    public void updateBatch() throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (LimitedStatement update = prepare()) {
            for (Map<String, Object> row : rows) {
                bind(update.prepared(), row);
                update.prepared().addBatch();
            }
            update.prepared().executeBatch();
        }
    }

    /** Inserts a row, and returns the number that the database has given it in a column. */
    public int insert(String column) throws SQLException {
        // Some drivers expect the name as it was written, others as the database stores it.
        boolean isUpperCase = connection.getMetaData().storesUpperCaseIdentifiers();
        try (LimitedStatement insert = prepare(isUpperCase ? column.toUpperCase(Locale.ROOT) : column)) {
            insert.prepared().executeUpdate();
            try (ResultSet keys = insert.prepared().getGeneratedKeys()) {
                keys.next();
                return keys.getInt(1);
            }
        }
    }

    public void forEach(RowReader each) throws SQLException {
        try (LimitedStatement select = prepare()) {
            select.prepared().execute();
            passFirst(select);
            try (ResultSet rows = select.prepared().getResultSet()) {
                while (rows.next()) {
                    each.read(rows);
                }
            }
        }
    }

    public <T> List<T> list(RowMapper<T> mapper) throws SQLException {
        List<T> found = new ArrayList<>();
        forEach(row -> found.add(mapper.map(row)));
        return found;
    }

    /** The numbers in the first column. */
    public List<Long> numbers() throws SQLException {
        return list(row -> row.getLong(1));
    }

    /** The first row; null if there is none. */
    public <T> T first(RowMapper<T> mapper) throws SQLException {
        try (LimitedStatement select = prepare()) {
            select.prepared().execute();
            passFirst(select);
            try (ResultSet row = select.prepared().getResultSet()) {
                return row.next() ? mapper.map(row) : null;
            }
        }
    }

    private void passFirst(LimitedStatement executed) throws SQLException {
        if (first != null) {
            executed.prepared().getMoreResults();
        }
    }

    /** The number in the first column of the first row; null if there is no row. */
    public Long number() throws SQLException {
        return first(row -> row.getLong(1));
    }

    private LimitedStatement prepare(String... generated) throws SQLException {
        String text = statement.texts.of(new Shape(counts(), first));
        LimitedStatement limited = LimitedStatement.of(
                generated.length == 0
                        ? connection.prepareStatement(text)
                        : connection.prepareStatement(text, generated),
                timeoutSeconds);
        try {
            bind(limited.prepared(), parameters);
            return limited;
        } catch (SQLException | RuntimeException e) {
            try (limited) {
                throw e;
            }
        }
    }

    private List<Integer> counts() {
        List<Integer> counts = new ArrayList<>(statement.names.size());
        for (String name : statement.names) {
            counts.add(parameters.get(name) instanceof List<?> list ? list.size() : 1);
        }
        return counts;
    }

    /**
     * The number of parameters for a count: rounded up to a power of two, so that the database prepares few different
     * statements. At most 1000 for counts up to 1000, since some databases refuse more.
     */
    public static int paddedCount(int count) {
        int paddedCount = count <= 1 ? 1 : Integer.highestOneBit(count - 1) << 1;
        return count <= 1000 ? Math.min(paddedCount, 1000) : paddedCount;
    }

    /** Whether the database refused a statement for a text: it would refuse that text again. */
    public static boolean isRefusedText(SQLException e) {
        return REFUSED_TEXT.contains(String.valueOf(e.getSQLState()));
    }

    /** This number of question marks. */
    public static String placeholders(int parameters) {
        return String.join(", ", Collections.nCopies(parameters, "?"));
    }

    private void bind(PreparedStatement prepared, Map<String, Object> values) throws SQLException {
        int index = 1;
        Iterator<?> next = repeated.iterator();
        for (String name : statement.names) {
            Object value = name == null ? next.next() : values.get(name);
            if (value instanceof List<?> list) {
                for (Object one : list) {
                    prepared.setObject(index++, one);
                }
            } else if (value != null) {
                prepared.setObject(index++, value);
            } else if (values.containsKey(name)) {
                // Not every driver accepts a null without a type. Each database converts this one to the type that it
                // needs.
                prepared.setNull(index++, Types.VARCHAR);
            } else {
                throw new IllegalArgumentException("no value for :" + name);
            }
        }
    }

    public interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    public interface RowMapper<T> {
        T map(ResultSet row) throws SQLException;
    }
}
