package dev.cdioutbox.internal.store.capture;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.cdc.CapturedTopics;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.NewRow;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Inserts the messages of a transaction, and a row in the queue for each. A message that change data capture sends gets its
 * delivery instead. With strict ordering, and for received messages, takes the {@link KeyLocks} of their keys before.
 */
public final class MessageInsert implements CaptureStore {
    private final Connections connections;
    private final StoreConfig config;
    private final PartitionIds partitions;
    private final CapturedTopics topics;
    private final KeyLocks keyLocks;
    private final RowInsert waitingRows;
    private final RowInsert capturedRows;

    public MessageInsert(
            Connections connections,
            StoreConfig config,
            Dialect dialect,
            PartitionIds partitions,
            CapturedTopics topics) {
        this.connections = connections;
        this.config = config;
        this.partitions = partitions;
        this.topics = topics;
        Sql sql = new Sql(config.tablePrefix(), dialect);
        keyLocks = new KeyLocks(config.application(), sql);
        PostgresqlInsert onPostgresql = new PostgresqlInsert(sql);
        waitingRows = dialect == SupportedDatabases.POSTGRESQL
                ? onPostgresql::insertWaiting
                : new TwoStepInsert(sql)::insertWaiting;
        // Only PostgreSQL has change data capture.
        capturedRows = onPostgresql::insertCaptured;
    }

    @Override
    public void require(List<NewMessage> messages) {
        topics.require(messages);
    }

    @Override
    public void write(List<NewMessage> messages) {
        write(messages, false);
    }

    /** @param locksKeys whether to lock the keys of the messages even without strict ordering */
    void write(List<NewMessage> messages, boolean locksKeys) {
        connections.withConnection("writing messages", connection -> {
            try {
                if (locksKeys || config.ordering() == Ordering.STRICT) {
                    keyLocks.lock(connection, messages);
                }
                insert(connection, messages);
                return null;
            } catch (SQLException e) {
                if (JdbcStatement.isRefusedText(e)) {
                    throw notStorable(messages, e);
                }
                throw e;
            }
        });
    }

    private static OutboxException notStorable(List<NewMessage> messages, SQLException e) {
        Set<String> types =
                messages.stream().map(message -> message.event().type()).collect(Collectors.toSet());
        return OutboxCode.EVENT_NOT_STORABLE.exception(e, messages.size(), types, FailureReason.of(e));
    }

    /**
     * Inserts messages without locks of their keys: for a settlement, which no other one for the same keys overtakes.
     * A lock would let it wait for business transactions.
     */
    public void insert(Connection connection, List<NewMessage> messages) throws SQLException {
        List<NewRow> waiting = new ArrayList<>(messages.size());
        List<NewRow> captured = new ArrayList<>();
        for (NewMessage message : messages) {
            NewRow row = row(message);
            (row.isCdc() ? captured : waiting).add(row);
        }
        if (!waiting.isEmpty()) {
            waitingRows.insert(connection, waiting);
        }
        if (!captured.isEmpty()) {
            capturedRows.insert(connection, captured);
        }
    }

    private NewRow row(NewMessage message) {
        long partition = partitions.home(message);
        long queue = message.terms().notBefore() == null
                ? partition
                : partitions.id(message.destination(), PartitionIds.DELAYED);
        boolean isCdc = config.cdc().destinations().contains(message.destination());
        return new NewRow(message, config.application(), partition, queue, isCdc);
    }

    /** Inserts messages, and for each a row that says what becomes of it. */
    private interface RowInsert {
        void insert(Connection connection, List<NewRow> rows) throws SQLException;
    }
}
