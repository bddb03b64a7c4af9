package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement with its parameters, for one execution. A parameter that is a collection fills the place of {@code %s} in
 * the statement with a list of question marks, whose length is {@linkplain #paddedCount padded}.
 */
public final class JdbcStatement {
    /**
     * How long a statement of the engine waits for a row that another transaction has locked. Healthy transactions lock
     * such rows for a moment only. One that is in doubt keeps them until its recovery, for which no commit may wait.
     */
    public static final int LOCK_WAIT_SECONDS = 30;

    /** Too long, of a letter that does not exist, or of one that the encoding lacks. */
    private static final Set<String> REFUSED_TEXT = Set.of("22001", "22021", "22P05");

    /** A named parameter, and no cast of PostgreSQL. */
    private static final Pattern NAME = Pattern.compile("(?<!:):([a-z]\\w*)");

    /** By the statement with names, because each claim sends one, and a long statement takes time to search. */
    private static final Map<String, Named> NAMED = new ConcurrentHashMap<>();

    private static final Texts<Shape> TEXTS = new Texts<>(Shape::text);

    private final Connection connection;
    private final String template;
    private final List<Object> parameters = new ArrayList<>();
    private int listed;
    private int timeoutSeconds;
    private String first;

    private JdbcStatement(Connection connection, String template, Object[] parameters) {
        this.connection = connection;
        this.template = template;
        for (Object parameter : parameters) {
            if (parameter instanceof Collection<?> values) {
                listed = addPadded(values);
            } else {
                this.parameters.add(parameter);
            }
        }
    }

    /**
     * A statement as the database gets it.
     *
     * @param listed the number of parameters in the place of {@code %s}
     * @param first a query before the statement, or null
     */
    private record Shape(String template, int listed, String first) {
        String text() {
            String filled = listed == 0 ? template : template.replace("%s", placeholders(listed));
            return first == null ? filled : first + "; " + filled;
        }
    }

    /** @param parameters numbers, texts, nulls, and at most one collection of them, which is not empty */
    public static JdbcStatement of(Connection connection, String text, Object... parameters) {
        return new JdbcStatement(connection, text, parameters);
    }

    /** @param parameters by the names that stand in the statement as {@code :name}; it need not have all of them */
    public static JdbcStatement named(Connection connection, String text, Map<String, Object> parameters) {
        Named statement = NAMED.computeIfAbsent(text, Named::of);
        Object[] inOrder = statement.names().stream()
                .map(name -> Objects.requireNonNull(parameters.get(name), name))
                .toArray();
        return new JdbcStatement(connection, statement.text(), inOrder);
    }

    /** The statement as the database gets it, with a question mark in the place of each name. */
    public static String unnamed(String text) {
        return Named.of(text).text();
    }

    /** A statement with its names in order. */
    private record Named(String text, List<String> names) {
        static Named of(String text) {
            Matcher name = NAME.matcher(text);
            return new Named(
                    name.replaceAll("?"),
                    name.reset().results().map(each -> each.group(1)).toList());
        }
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

    /** Repeats the last value up to the padded count. */
    private int addPadded(Collection<?> values) {
        List<Object> padded = new ArrayList<>(values);
        int count = paddedCount(values.size());
        while (padded.size() < count) {
            padded.add(padded.get(padded.size() - 1));
        }
        parameters.addAll(padded);
        return count;
    }

    /** @return the number of changed rows */
    public int update() throws SQLException {
        try (PreparedStatement update = prepare()) {
            update.execute();
            passFirst(update);
            return update.getUpdateCount();
        }
    }

    public void forEach(RowReader each) throws SQLException {
        try (PreparedStatement select = prepare()) {
            select.execute();
            passFirst(select);
            try (ResultSet rows = select.getResultSet()) {
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
        try (PreparedStatement select = prepare()) {
            select.execute();
            passFirst(select);
            try (ResultSet row = select.getResultSet()) {
                return row.next() ? mapper.map(row) : null;
            }
        }
    }

    private void passFirst(PreparedStatement statement) throws SQLException {
        if (first != null) {
            statement.getMoreResults();
        }
    }

    /** The number in the first column of the first row; null if there is no row. */
    public Long number() throws SQLException {
        return first(row -> row.getLong(1));
    }

    private PreparedStatement prepare() throws SQLException {
        String text = listed == 0 && first == null ? template : TEXTS.of(new Shape(template, listed, first));
        PreparedStatement statement = connection.prepareStatement(text);
        try {
            if (timeoutSeconds > 0) {
                statement.setQueryTimeout(timeoutSeconds);
            }
            for (int i = 0; i < parameters.size(); i++) {
                bind(statement, i + 1, parameters.get(i));
            }
            return statement;
        } catch (SQLException | RuntimeException e) {
            try (statement) {
                throw e;
            }
        }
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

    private static void bind(PreparedStatement statement, int index, Object value) throws SQLException {
        if (value == null) {
            // Not every driver accepts a null without a type. Each database converts this one to the type that it
            // needs.
            statement.setNull(index, Types.VARCHAR);
        } else {
            statement.setObject(index, value);
        }
    }

    public interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    public interface RowMapper<T> {
        T map(ResultSet row) throws SQLException;
    }
}
