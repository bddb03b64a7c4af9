package dev.cdioutbox.internal.store.capture;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.NewRow;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.Texts;

/** Inserts messages that wait, and then their rows in the queue, because only PostgreSQL can do both in one statement. */
final class TwoStepInsert {
    /** Of one statement. */
    private static final int MOST_QUEUE_ROWS_ON_MARIADB = 100;

    private final Sql sql;
    private final Dialect dialect;
    private final Texts<InsertedColumns> messages = new Texts<>(this::messages);
    private final Texts<Integer> queueRows = new Texts<>(this::queueRows);

    TwoStepInsert(Sql sql) {
        this.sql = sql;
        this.dialect = sql.dialect();
    }

    void insertWaiting(Connection connection, List<NewRow> rows) throws SQLException {
        insertMessages(connection, rows);
        if (dialect == SupportedDatabases.MARIADB) {
            insertQueueRowsOnMariaDb(connection, rows);
        } else {
            insertQueueRows(connection, rows, 1);
        }
    }

    private void insertMessages(Connection connection, List<NewRow> rows) throws SQLException {
        InsertedColumns columns = InsertedColumns.of(rows);
        InsertBatch.execute(
                connection, messages.of(columns), rows, 1, (insert, one) -> columns.bind(insert, one, dialect));
    }

    String messages(InsertedColumns columns) {
        return sql.with("columns", columns.names())
                .with("row", columns.values(dialect))
                .of("INSERT INTO {message} ({columns}) VALUES ({row})");
    }

    /** MariaDB's driver sends a batch as one command, for which MariaDB runs each subquery only once (MDEV-23864). */
    private void insertQueueRowsOnMariaDb(Connection connection, List<NewRow> rows) throws SQLException {
        for (int first = 0; first < rows.size(); first += MOST_QUEUE_ROWS_ON_MARIADB) {
            List<NewRow> some = rows.subList(first, Math.min(rows.size(), first + MOST_QUEUE_ROWS_ON_MARIADB));
            insertQueueRows(connection, some, some.size());
        }
    }

    private void insertQueueRows(Connection connection, List<NewRow> rows, int rowsOfStatement) throws SQLException {
        InsertBatch.execute(connection, queueRows.of(rowsOfStatement), rows, rowsOfStatement, this::bindQueueRows);
    }

    private void bindQueueRows(PreparedStatement insert, List<NewRow> rows) throws SQLException {
        int parameter = 1;
        for (NewRow row : rows) {
            parameter = row.bindToQueue(insert, parameter, dialect);
        }
    }

    String queueRows(int rows) {
        String row = "(SELECT m.seq FROM {message} m WHERE m.message_id = ?), ?, " + dialect.timeParameter("?");
        return sql.with("rows", InsertBatch.values(row, rows))
                .of("INSERT INTO {queue} (seq, queue_id, available_at) VALUES {rows}");
    }
}
