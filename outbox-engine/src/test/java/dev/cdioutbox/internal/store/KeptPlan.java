package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.JdbcStatement;

/** A statement whose plan PostgreSQL keeps, as it does for each statement that a connection repeats. */
final class KeptPlan {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final Connection connection;
    private final String execute;

    /** @param text with names, or {@code %s} in the place of a list of parameters */
    KeptPlan(Connection connection, String text, Object... parameters) throws SQLException {
        this.connection = connection;
        String name = "kept" + NUMBER.incrementAndGet();
        String marked = StatementCatalog.marks(text);
        int others = (int) marked.chars().filter(c -> c == '?').count();
        AtomicInteger mark = new AtomicInteger();
        String numbered = Pattern.compile("\\?")
                .matcher(marked.replace("%s", JdbcStatement.placeholders(parameters.length - others)))
                .replaceAll(found -> "\\$" + mark.incrementAndGet());
        // PostgreSQL itself decides so after five executions.
        Database.execute(connection, "SET plan_cache_mode = force_generic_plan");
        Database.execute(connection, "PREPARE " + name + " AS " + numbered);
        execute = Arrays.stream(parameters)
                .map(value -> value instanceof String literal ? "'" + literal + "'" : String.valueOf(value))
                .collect(Collectors.joining(", ", "EXECUTE " + name + "(", ")"));
    }

    /** The first call makes the plan. Behind the settings of the statement's transaction. */
    Explained explained() throws SQLException {
        Database.execute(connection, SupportedDatabases.POSTGRESQL.planByIndex());
        return Explained.by(Database.POSTGRESQL, connection, execute);
    }
}
