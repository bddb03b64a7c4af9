package dev.cdioutbox.internal.store.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HexFormat;

import dev.cdioutbox.internal.store.UuidV7;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Inserts a row unless it exists. Waits for another transaction that has inserted the same row. The transaction
 * stays usable in any case.
 */
final class UniqueInsert {
    private static final long ALREADY_INSERTED = -1;

    private final InboxStatements statements;
    private final String table;
    private final String insert;
    private final String takeNamedLock;
    private final String lockRow;

    UniqueInsert(InboxStatements statements, Sql sql, String table, String id, String insert) {
        this.statements = statements;
        Dialect dialect = sql.dialect();
        boolean named = dialect == SupportedDatabases.MARIADB;
        this.table = sql.of(table);
        // On PostgreSQL, a unique violation would abort the whole transaction, and the consumer's work with it.
        this.insert = sql.of(insert) + (dialect == SupportedDatabases.POSTGRESQL ? " ON CONFLICT DO NOTHING" : "");
        Sql row = sql.with("wait", InboxStatements.MAX_WAIT_SECONDS)
                .with("inserted", ALREADY_INSERTED)
                .with(
                        "row",
                        "FROM %s WHERE application = :application AND consumer = :consumer AND %s = :id"
                                .formatted(table, id));
        // A transaction that has inserted the row itself must not wait for the named lock, whose owner waits for
        // that transaction.
        takeNamedLock = named
                ? row.of("SELECT CASE WHEN EXISTS (SELECT 1 {row}) THEN {inserted} ELSE GET_LOCK(:lock, {wait}) END")
                : null;
        lockRow = named ? row.of("SELECT 1 {row} FOR UPDATE") : null;
    }

    /**
     * @param id of the message, or the key
     * @return whether the row was inserted
     */
    boolean insert(Connection connection, String consumer, String id, Position position) throws SQLException {
        JdbcStatement statement = statements.of(connection, insert, consumer, id, position);
        try {
            return takeNamedLock == null
                    ? statements.update(statement) > 0
                    : insertUnderNamedLock(connection, consumer, id, statement);
        } catch (SQLException e) {
            if (statements.dialect().isDuplicate(e)) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Inserts on InnoDB without a deadlock. There, two transactions that wait for an insert both get a shared lock
     * when it is rolled back, and then deadlock. So a named lock serializes the inserts until the row is written.
     * Only its owner waits for the row lock, with a read that leaves no gap lock at READ COMMITTED.
     */
    private boolean insertUnderNamedLock(Connection connection, String consumer, String id, JdbcStatement statement)
            throws SQLException {
        String lock = lockName(consumer, id);
        long taken = statements.number(statements
                .of(connection, takeNamedLock, consumer, id, InboxStatements.NOWHERE)
                .set("lock", lock));
        if (taken == ALREADY_INSERTED) {
            return false;
        }
        if (taken == 0) {
            throw new SQLException("others have handled the same for " + InboxStatements.MAX_WAIT_SECONDS + " s");
        }
        try {
            return statements.number(statements.of(connection, lockRow, consumer, id, InboxStatements.NOWHERE)) == null
                    && statements.update(statement) > 0;
        } finally {
            statements.number(
                    statements.of(connection, "SELECT RELEASE_LOCK(:lock)").set("lock", lock));
        }
    }

    /** A name of at most 64 characters, which is unique on the server and not only in the schema. */
    private String lockName(String consumer, String id) {
        String name = String.join("\n", table, statements.application(), consumer, id);
        return "outbox " + HexFormat.of().formatHex(UuidV7.sha256(name), 0, 16);
    }
}
