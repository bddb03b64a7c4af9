package dev.cdioutbox.internal.store.capture;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.NewRow;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.Texts;

/** Inserts messages on PostgreSQL, where the same statement inserts their rows in a second table. */
final class PostgresqlInsert {
    /** Of one statement. Measured: saves a tenth of an insert. */
    private static final int MOST_ROWS = 16;

    private final Sql sql;
    private final Dialect dialect;
    private final Texts<Shape> withQueueRows = new Texts<>(shape -> withQueueRows(shape.columns, shape.rows));
    private final Texts<Shape> withDeliveries = new Texts<>(shape -> withDeliveries(shape.columns, shape.rows));

    /** What the text of a statement depends on. */
    private record Shape(InsertedColumns columns, int rows) {}

    PostgresqlInsert(Sql sql) {
        this.sql = sql;
        this.dialect = sql.dialect();
    }

    /** Inserts messages that wait, with their rows in the queue. */
    void insertWaiting(Connection connection, List<NewRow> rows) throws SQLException {
        Shape shape = shape(rows);
        InsertBatch.execute(connection, withQueueRows.of(shape), rows, shape.rows, (insert, some) -> {
            int parameter = shape.columns.bind(insert, some, dialect);
            for (NewRow row : some) {
                parameter = row.bindToQueue(insert, parameter, dialect);
            }
        });
    }

    String withQueueRows(InsertedColumns columns, int rows) {
        return sql.with("columns", columns.names())
                .with("rows", InsertBatch.values(columns.values(dialect), rows))
                .with("queues", InsertBatch.values("?, CAST(? AS BIGINT), " + dialect.timeParameter("?"), rows))
                .of("""
                WITH inserted AS (INSERT INTO {message} ({columns}) VALUES {rows} RETURNING seq, message_id)
                INSERT INTO {queue} (seq, queue_id, available_at)
                SELECT m.seq, q.queue_id, q.available_at
                FROM inserted m JOIN (VALUES {queues}) q (message_id, queue_id, available_at) ON q.message_id = m.message_id""");
    }

    /** Inserts messages that change data capture sends, with their deliveries: no claim may meet them, and the purge finds them. */
    void insertCaptured(Connection connection, List<NewRow> rows) throws SQLException {
        Shape shape = shape(rows);
        InsertBatch.execute(
                connection,
                withDeliveries.of(shape),
                rows,
                shape.rows,
                (insert, some) -> shape.columns.bind(insert, some, dialect));
    }

    String withDeliveries(InsertedColumns columns, int rows) {
        return sql.with("columns", columns.names())
                .with("rows", InsertBatch.values(columns.values(dialect), rows))
                .of("""
                WITH inserted AS (INSERT INTO {message} ({columns}) VALUES {rows} RETURNING seq)
                INSERT INTO {delivery} (seq, status, settled_at, attempts)
                SELECT m.seq, {PUBLISHED}, {now}, 0 FROM inserted m""");
    }

    private static Shape shape(List<NewRow> rows) {
        return new Shape(InsertedColumns.of(rows), largestDivisor(rows.size()));
    }

    /** So that one batch of equal statements inserts all rows. */
    private static int largestDivisor(int rows) {
        int divisor = MOST_ROWS;
        while (rows % divisor > 0) {
            divisor--;
        }
        return divisor;
    }
}
