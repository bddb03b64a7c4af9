package dev.cdioutbox.internal.store.dialect;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;

/** All dialects, and the choice of the dialect of a connection. */
public final class SupportedDatabases {
    public static final Dialect H2 = new H2Dialect();
    public static final Dialect POSTGRESQL = new PostgresqlDialect();
    public static final Dialect MARIADB = new MariaDbDialect();
    static final Dialect ORACLE = new OracleDialect();
    static final Dialect DB2 = new Db2Dialect();
    static final Dialect SQL_SERVER = new SqlServerDialect();

    public static final List<Dialect> ALL = List.of(H2, POSTGRESQL, MARIADB, ORACLE, DB2, SQL_SERVER);

    private SupportedDatabases() {}

    /** The names of all supported databases. */
    static List<String> products() {
        return ALL.stream().flatMap(dialect -> dialect.products().stream()).toList();
    }

    /**
     * The dialect of a connection.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0301 if there is none
     */
    public static Dialect of(Connection connection) throws SQLException {
        Dialect dialect = of(connection.getMetaData());
        String refusal = dialect.refusal(connection);
        if (refusal != null) {
            DatabaseMetaData database = connection.getMetaData();
            throw OutboxCode.DATABASE_NOT_SUPPORTED.exception(
                    refusal, database.getDatabaseProductVersion(), database.getURL(), String.join(", ", products()));
        }
        return dialect;
    }

    /** What is wrong with the database's setup or the DataSource's, and whether no test runs on the database. */
    public static List<Finding> findings(Dialect dialect, Connection connection) throws SQLException {
        List<Finding> found = new ArrayList<>(dialect.findings(connection));
        if (!isTested(dialect)) {
            DatabaseMetaData database = connection.getMetaData();
            found.add(OutboxCode.DATABASE_UNTESTED.finding(
                    database.getDatabaseProductName(), database.getDatabaseProductVersion()));
        }
        return found;
    }

    static Dialect of(DatabaseMetaData database) throws SQLException {
        String product = database.getDatabaseProductName();
        String version = database.getDatabaseProductVersion();
        String url = database.getURL();
        return of(product)
                .orElseThrow(() -> OutboxCode.DATABASE_NOT_SUPPORTED.exception(
                        product, version, url, String.join(", ", products())));
    }

    /** Whether the outbox's tests run on this database. */
    public static boolean isTested(Dialect dialect) {
        return dialect == H2 || dialect == POSTGRESQL || dialect == MARIADB;
    }

    /** The database's name and version. */
    public static String product(DatabaseMetaData database) throws SQLException {
        return database.getDatabaseProductName() + " " + database.getDatabaseProductVersion();
    }

    static Optional<Dialect> of(String productName) {
        return ALL.stream().filter(dialect -> dialect.isOf(productName)).findFirst();
    }
}
