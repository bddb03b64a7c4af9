package dev.cdioutbox.internal.store.dialect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** PostgreSQL 12 or later. */
final class PostgresqlDialect extends Dialect {
    PostgresqlDialect() {
        super("postgresql", new Errors(Set.of(), Set.of(), Set.of()), "PostgreSQL");
    }

    @Override
    public String now() {
        // statement_timestamp() and not clock_timestamp(): a volatile function cannot bound an index scan.
        return "statement_timestamp()";
    }

    @Override
    public String nowPlusMillis(String parameter) {
        return "statement_timestamp() + CAST(" + parameter + " AS BIGINT) * INTERVAL '1 millisecond'";
    }

    @Override
    public String timeParameter(String parameter) {
        return "CAST(" + parameter + " AS TIMESTAMPTZ)";
    }

    /**
     * A plan is kept until somebody analyzes its tables, and the plan of small tables would read the whole tables when they
     * have grown. Without sorts, because the planner would read a whole table by its primary key and sort it, rather than
     * follow the index that has the order. Without JIT, which would compile a statement for the costs that the settings
     * pretend.
     */
    @Override
    public String planByIndex() {
        return without(
                "enable_seqscan", "enable_bitmapscan", "enable_sort", "enable_hashjoin", "enable_mergejoin", "jit");
    }

    @Override
    public String planScansByIndex() {
        return without("enable_seqscan", "enable_bitmapscan", "enable_sort", "jit");
    }

    private static String without(String... settings) {
        return Stream.of(settings)
                .map("set_config('%s', 'off', TRUE)"::formatted)
                .collect(Collectors.joining(", ", "SELECT ", ""));
    }

    /** Not the current schema: that is only the first one of the search path. */
    @Override
    public String schemaOf(Connection connection, String table) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass(?)")) {
            select.setString(1, table);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }
}
