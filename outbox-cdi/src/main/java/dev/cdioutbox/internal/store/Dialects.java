package dev.cdioutbox.internal.store;

import java.util.List;
import java.util.Optional;

/** The databases that there is a schema for. */
final class Dialects {
    static final Dialect H2 = new H2Dialect();
    static final Dialect POSTGRESQL = new PostgresqlDialect();
    static final Dialect MARIADB = new MariaDbDialect();
    static final Dialect ORACLE = new OracleDialect();
    static final Dialect DB2 = new Db2Dialect();
    static final Dialect SQL_SERVER = new SqlServerDialect();
    static final Dialect DERBY = new DerbyDialect();

    static final List<Dialect> ALL = List.of(H2, POSTGRESQL, MARIADB, ORACLE, DB2, SQL_SERVER, DERBY);

    private Dialects() {}

    /** The names of all databases that there is a dialect for. */
    static List<String> products() {
        return ALL.stream().flatMap(dialect -> dialect.products().stream()).toList();
    }

    static Optional<Dialect> of(String productName) {
        return ALL.stream().filter(dialect -> dialect.isOf(productName)).findFirst();
    }
}
