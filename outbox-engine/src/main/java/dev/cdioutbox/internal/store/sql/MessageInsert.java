package dev.cdioutbox.internal.store.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.store.CaptureStore;
import dev.cdioutbox.internal.store.CapturedTopics;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.MessageColumn.NewRow;

/**
 * Inserts the messages of a transaction, and a row in the queue for each: in one statement where the database can, else first
 * the messages. A message that change data capture sends gets its delivery instead: no claim may meet it, and the purge finds
 * it. With strict ordering, takes the {@link KeyLocks} of their keys before.
 */
public final class MessageInsert implements CaptureStore {
    /** Rows of one INSERT. Measured: saves a tenth of an insert. */
    private static final int ROWS_ON_POSTGRESQL = 16;

    private static final int ROWS_ON_MARIADB = 100;

    /** The SQL state of a statement that was canceled, on PostgreSQL and H2. */
    private static final String CANCELED = "57014";

    private final Connections connections;
    private final StoreConfig config;
    private final String application;
    private final boolean isStrict;
    private final Dialect dialect;
    private final boolean isPostgresql;
    private final PartitionIds partitions;
    private final CapturedTopics topics;
    private final Sql sql;
    private final KeyLocks keyLocks;
    private final Texts<Rows> insertBoth = new Texts<>(rows -> insertBoth(rows.columns, rows.number));
    private final Texts<Rows> insertDelivered = new Texts<>(rows -> insertDelivered(rows.columns, rows.number));
    private final Texts<List<MessageColumn>> insertMessage = new Texts<>(this::insertMessage);
    private final Texts<Integer> insertQueue = new Texts<>(this::insertQueue);

    /**
     * The rows of an INSERT.
     *
     * @param columns those that a row of the transaction fills
     */
    private record Rows(List<MessageColumn> columns, int number) {}

    public MessageInsert(
            Connections connections,
            StoreConfig config,
            Dialect dialect,
            PartitionIds partitions,
            CapturedTopics topics) {
        this.connections = connections;
        this.topics = topics;
        this.config = config;
        this.application = config.application();
        this.isStrict = config.ordering() == Ordering.STRICT;
        this.dialect = dialect;
        this.isPostgresql = dialect == SupportedDatabases.POSTGRESQL;
        this.partitions = partitions;
        sql = new Sql(config.tablePrefix(), dialect);
        keyLocks = new KeyLocks(application, sql);
    }

    @Override
    public void require(List<NewMessage> messages) {
        topics.require(messages);
    }

    @Override
    public void write(List<NewMessage> messages) {
        connections.withConnection("writing messages", connection -> {
            try {
                write(connection, messages);
                return null;
            } catch (SQLException e) {
                if (JdbcStatement.isRefusedText(e)) {
                    Set<String> types =
                            messages.stream().map(m -> m.event().type()).collect(Collectors.toSet());
                    throw OutboxCode.EVENT_NOT_STORABLE.exception(e, messages.size(), types, FailureReason.of(e));
                }
                throw e;
            }
        });
    }

    void write(Connection connection, List<NewMessage> messages) throws SQLException {
        if (isStrict) {
            keyLocks.lock(connection, messages);
        }
        insert(connection, messages);
    }

    /**
     * Inserts messages without locks of their keys: for a settlement, which no other one for the same keys overtakes.
     * A lock would let it wait for business transactions.
     */
    public void insert(Connection connection, List<NewMessage> messages) throws SQLException {
        Map<Boolean, List<NewRow>> byCdc =
                messages.stream().map(this::row).collect(Collectors.groupingBy(row -> row.transport() != null));
        for (Map.Entry<Boolean, List<NewRow>> each : byCdc.entrySet()) {
            insert(connection, each.getValue(), each.getKey());
        }
    }

    void insert(Connection connection, List<NewRow> rows, boolean isCdc) throws SQLException {
        List<MessageColumn> columns = MessageColumn.inserted(rows);
        try {
            if (isCdc) {
                int rowsOfInsert = rowsOfInsert(rows.size());
                insert(
                        connection,
                        insertDelivered.of(new Rows(columns, rowsOfInsert)),
                        rows,
                        rowsOfInsert,
                        (insert, some) -> bindColumns(insert, columns, some));
            } else if (isPostgresql) {
                int rowsOfInsert = rowsOfInsert(rows.size());
                String text = insertBoth.of(new Rows(columns, rowsOfInsert));
                insert(connection, text, rows, rowsOfInsert, (insert, some) -> {
                    int next = bindColumns(insert, columns, some);
                    bindQueue(insert, next, some);
                });
            } else {
                String text = insertMessage.of(columns);
                insert(connection, text, rows, 1, (insert, one) -> bindColumns(insert, columns, one));
                insertQueue(connection, rows);
            }
        } catch (SQLException e) {
            throw withItsCause(e);
        }
    }

    /** Runs an INSERT, of some rows at a time, as a JDBC batch. */
    private static void insert(Connection connection, String text, List<NewRow> rows, int rowsOfInsert, Binder binder)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(text)) {
            // Liberty cancels the JTA timeout before completion: without this timeout a lock could block the commit for
            // ever.
            insert.setQueryTimeout(JdbcStatement.LOCK_WAIT_SECONDS);
            for (int first = 0; first < rows.size(); first += rowsOfInsert) {
                binder.bind(insert, rows.subList(first, first + rowsOfInsert));
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private void insertQueue(Connection connection, List<NewRow> rows) throws SQLException {
        // MariaDB's driver sends a batch as one command, for which MariaDB runs each subquery only once (MDEV-23864).
        int most = dialect == SupportedDatabases.MARIADB ? ROWS_ON_MARIADB : 1;
        if (most == 1) {
            insert(connection, insertQueue.of(1), rows, 1, (insert, one) -> bindQueue(insert, 1, one));
            return;
        }
        for (int first = 0; first < rows.size(); first += most) {
            List<NewRow> some = rows.subList(first, Math.min(rows.size(), first + most));
            String text = insertQueue.of(some.size());
            insert(connection, text, some, some.size(), (insert, all) -> bindQueue(insert, 1, all));
        }
    }

    /** @return the number of the parameter after these columns */
    private int bindColumns(PreparedStatement insert, List<MessageColumn> columns, List<NewRow> rows)
            throws SQLException {
        int parameter = 1;
        for (NewRow row : rows) {
            for (MessageColumn column : columns) {
                parameter = column.bind(insert, parameter, row, dialect);
            }
        }
        return parameter;
    }

    private void bindQueue(PreparedStatement insert, int first, List<NewRow> rows) throws SQLException {
        int parameter = first;
        for (NewRow row : rows) {
            insert.setString(parameter, row.message().id().toString());
            insert.setLong(parameter + 1, row.queue());
            dialect.setTime(insert, parameter + 2, row.message().terms().notBefore());
            parameter += 3;
        }
    }

    /** Names the cause of a canceled statement: PostgreSQL's own text says that the user requested the cancel. */
    private static SQLException withItsCause(SQLException e) {
        if (!CANCELED.equals(e.getSQLState())) {
            return e;
        }
        SQLException timeout = new SQLTimeoutException(
                "the statement took longer than " + JdbcStatement.LOCK_WAIT_SECONDS
                        + " s, because another transaction holds a lock or the database is slow",
                CANCELED);
        timeout.addSuppressed(e);
        return timeout;
    }

    private NewRow row(NewMessage message) {
        long partition = partitions.home(message);
        long queue = message.terms().notBefore() == null
                ? partition
                : partitions.id(message.destination(), PartitionIds.DELAYED);
        boolean isCdc = config.cdc().destinations().contains(message.destination());
        return new NewRow(message, application, partition, queue, isCdc ? DestinationConfig.CDC : null);
    }

    /** A divisor, so that one batch of equal statements inserts all rows. */
    private int rowsOfInsert(int rows) {
        int number = isPostgresql ? ROWS_ON_POSTGRESQL : 1;
        while (rows % number > 0) {
            number--;
        }
        return number;
    }

    /** Inserts a number of rows on PostgreSQL, each with these columns, and their rows in the queue. */
    public String insertBoth(List<MessageColumn> columns, int rows) {
        return withRows(columns, rows)
                .with("queues", repeated("?, CAST(? AS BIGINT), " + dialect.timeParameter("?"), rows))
                .of("""
                WITH inserted AS (INSERT INTO {message} ({columns}) VALUES {rows} RETURNING seq, message_id)
                INSERT INTO {queue} (seq, queue_id, available_at)
                SELECT m.seq, q.queue_id, q.available_at
                FROM inserted m JOIN (VALUES {queues}) q (message_id, queue_id, available_at) ON q.message_id = m.message_id""");
    }

    /** Inserts a number of rows, each with these columns, and their deliveries. Only PostgreSQL has change data capture. */
    public String insertDelivered(List<MessageColumn> columns, int rows) {
        return withRows(columns, rows).of("""
                WITH inserted AS (INSERT INTO {message} ({columns}) VALUES {rows} RETURNING seq)
                INSERT INTO {delivery} (seq, status, settled_at, attempts)
                SELECT m.seq, {PUBLISHED}, {now}, 0 FROM inserted m""");
    }

    /** Inserts a row with these columns. */
    public String insertMessage(List<MessageColumn> columns) {
        return withRows(columns, 1).of("INSERT INTO {message} ({columns}) VALUES {rows}");
    }

    /** Inserts the rows in the queue of a number of messages that the same transaction has inserted. */
    public String insertQueue(int rows) {
        return sql.with(
                        "rows",
                        repeated(
                                "(SELECT m.seq FROM {message} m WHERE m.message_id = ?), ?, "
                                        + dialect.timeParameter("?"),
                                rows))
                .of("INSERT INTO {queue} (seq, queue_id, available_at) VALUES {rows}");
    }

    private Sql withRows(List<MessageColumn> columns, int rows) {
        return sql.with("columns", MessageColumn.names(columns))
                .with("rows", repeated(MessageColumn.expressions(columns, dialect), rows));
    }

    private static String repeated(String expressions, int rows) {
        return String.join(", ", Collections.nCopies(rows, "(" + expressions + ")"));
    }

    private interface Binder {
        void bind(PreparedStatement insert, List<NewRow> rows) throws SQLException;
    }
}
