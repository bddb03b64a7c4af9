package dev.cdioutbox.internal.store;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** Counts the pages that PostgreSQL reads for the queries made through this DataSource, with their real parameters. */
public final class ExplainedSource {
    private static final Pattern FIRST = Pattern.compile("^SELECT set_config\\([^;]*; ");
    private static final Pattern COMPARED = Pattern.compile("Rows Removed by Join Filter: (\\d+)");
    private static final Pattern CHANGE = Pattern.compile("^(INSERT|UPDATE|DELETE)|\\b(DELETE FROM|INSERT INTO)\\b");

    private final DataSource database;
    private boolean explaining;
    private final List<String> plans = new ArrayList<>();
    private long pages;

    public ExplainedSource(DataSource database) {
        this.database = database;
    }

    public DataSource dataSource() {
        return proxy(DataSource.class, (pool, method, arguments) -> {
            Connection connection = database.getConnection();
            return proxy(Connection.class, (self, called, values) -> {
                Object result = invoke(connection, called, values);
                return called.getName().equals("prepareStatement")
                        ? explained(connection, (PreparedStatement) result, values[0].toString())
                        : result;
            });
        });
    }

    /** Returns the pages read by all queries of the action. */
    public long pages(Runnable what) {
        pages = 0;
        plans.clear();
        explaining = true;
        try {
            what.run();
        } finally {
            explaining = false;
        }
        return pages;
    }

    /** How many pairs of rows the joins of the queries that were counted last have compared in vain. */
    long comparedInVain() {
        return COMPARED.matcher(plans())
                .results()
                .mapToLong(found -> number(found.group(1)))
                .sum();
    }

    /** The plans of the queries that were counted last. */
    public String plans() {
        return String.join("\n", plans);
    }

    private Object explained(Connection connection, PreparedStatement statement, String sql) {
        List<Set> sets = new ArrayList<>();
        return proxy(PreparedStatement.class, (self, method, arguments) -> {
            if (method.getName().startsWith("set") && arguments.length > 1) {
                sets.add(new Set(method, arguments));
            } else if (explaining && method.getName().startsWith("execute")) {
                explain(connection, sql, sets);
            }
            return invoke(statement, method, arguments);
        });
    }

    /** Explains a query, behind the one that may come before it in the same round trip. */
    private void explain(Connection connection, String sql, List<Set> sets) throws Throwable {
        Matcher settings = FIRST.matcher(sql);
        String first = settings.find() ? settings.group() : "";
        String query = sql.substring(first.length());
        if (CHANGE.matcher(query).find()) {
            return;
        }
        try (PreparedStatement explain =
                connection.prepareStatement(first + "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) " + query)) {
            for (Set set : sets) {
                invoke(explain, set.method(), set.arguments());
            }
            explain.execute();
            if (!first.isEmpty()) {
                explain.getMoreResults();
            }
            note(explain);
        }
    }

    private void note(PreparedStatement explain) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (ResultSet rows = explain.getResultSet()) {
            while (rows.next() && !rows.getString(1).startsWith("Planning")) {
                plan.append(rows.getString(1)).append('\n');
            }
        }
        Matcher line = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?")
                .matcher(plan);
        // The first line with buffers has the sum for the statement. A statement that reads no page has no such line.
        pages += line.find() ? number(line.group(1)) + number(line.group(2)) : 0;
        plans.add(plan.toString());
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private record Set(Method method, Object[] arguments) {}
}
