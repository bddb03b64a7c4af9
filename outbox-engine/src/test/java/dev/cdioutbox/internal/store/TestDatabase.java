package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.sql.StatusCode;
import dev.cdioutbox.internal.transport.TopicLimits;
import org.h2.jdbcx.JdbcDataSource;

/** A fresh database; the tables of its outboxes have a prefix that is not the default. */
public final class TestDatabase implements AutoCloseable {
    public static final String PREFIX = "shop_";

    private static final AtomicInteger OTHERS = new AtomicInteger();

    private final Database kind;
    private final DataSource dataSource;

    /** An H2 database in memory. */
    public TestDatabase() {
        JdbcDataSource memory = new JdbcDataSource();
        memory.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";" + Database.H2_OPTIONS);
        this.kind = Database.H2;
        this.dataSource = memory;
    }

    public TestDatabase(Database kind) {
        this.kind = kind;
        this.dataSource = kind.fresh();
    }

    public Database kind() {
        return kind;
    }

    /** Runs the action while an update is in doubt: its transaction is prepared before, and rolled back afterwards. */
    public void whileInDoubt(String update, Runnable what) throws SQLException {
        kind.whileInDoubt(dataSource, update, what);
    }

    public DataSource dataSource() {
        return dataSource;
    }

    public static StoreConfig config(SchemaMode mode, String application, int partitions) {
        return new StoreConfig(
                "jdbc/shop",
                mode,
                PREFIX,
                application,
                partitions,
                StoreConfig.Ordering.ROW_LOCK,
                null,
                StoreConfig.Cdc.NONE);
    }

    /** An outbox with the destinations {@code default} and {@code audit}, of which change data capture sends the second. */
    public JdbcOutboxStore openWithCdc() {
        StoreConfig config = new StoreConfig(
                "jdbc/shop",
                SchemaMode.CREATE,
                PREFIX,
                "shop",
                4,
                StoreConfig.Ordering.ROW_LOCK,
                null,
                new StoreConfig.Cdc(Map.of("audit", new TopicLimits(TopicLimits.DEFAULT, false)), "outbox"));
        return JdbcOutboxStore.open(dataSource, config, Set.of(TestMessages.DESTINATION, "audit"));
    }

    /** An outbox with the destinations {@code default} and {@code audit}. */
    public JdbcOutboxStore open(int partitions) {
        return open(SchemaMode.CREATE, "shop", partitions);
    }

    public JdbcOutboxStore open(SchemaMode mode, String application, int partitions) {
        return JdbcOutboxStore.open(
                dataSource, config(mode, application, partitions), Set.of(TestMessages.DESTINATION, "audit"));
    }

    public int update(String sql, Object... parameters) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement update = connection.prepareStatement(sql)) {
            bind(update, parameters);
            return update.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** The first column of all rows. */
    public List<String> query(String sql, Object... parameters) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement select = connection.prepareStatement(sql)) {
            bind(select, parameters);
            List<String> values = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    values.add(rows.getString(1));
                }
            }
            return values;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** The statuses of all messages in the order in which they were written. */
    public List<String> statuses() {
        return query("SELECT status FROM shop_message_view ORDER BY seq");
    }

    /** The statuses that occur, each with a number of attempts. */
    public List<String> statusesAndAttempts() {
        return query("SELECT DISTINCT CONCAT(status, attempts) FROM shop_message_view ORDER BY 1");
    }

    public long sequence(String text) {
        return Long.parseLong(
                query("SELECT seq FROM shop_message WHERE payload = ?", text).get(0));
    }

    /** Makes failed messages due. */
    public void makeDue() {
        // One second ago, as in production: a claim would have served earlier keys already.
        setTime("queue", "available_at", Instant.now().minusSeconds(1), "status = 1");
        setTime("blocked_key", "due_at", Instant.now().minusSeconds(1), "due_at < TIMESTAMP '9000-01-01 00:00:00'");
    }

    /** The condition for the rows, in the queue or in the deliveries, of the messages that meet a condition. */
    public static String ofMessages(String where) {
        return "seq IN (SELECT m.seq FROM shop_message m WHERE " + where + ")";
    }

    /** Changes the rows in the queue of the messages that meet a condition. */
    public int updateQueue(String set, String where) {
        return update("UPDATE shop_queue SET %s WHERE %s".formatted(set, ofMessages(where)));
    }

    /** Settles the waiting messages that meet a condition, as another node or an operator would do. */
    public void settle(OutboxStatus status, String where) {
        update("""
                INSERT INTO shop_delivery (seq, status, settled_at, attempts, last_error)
                SELECT seq, %s, %s, attempts, last_error FROM shop_queue WHERE %s""".formatted(StatusCode.of(status), kind.dialect().now(), ofMessages(where)));
        update("DELETE FROM shop_queue WHERE " + ofMessages(where));
    }

    /**
     * The change of a settlement that is in doubt, for {@link #whileInDoubt}. Names the rows by the primary key, since
     * MariaDB locks each row that it reads. With no other condition, MySQL would read a small table as a whole.
     */
    public String settling(Collection<String> texts) {
        return "DELETE /*! m */ FROM shop_queue /*! m FORCE INDEX (PRIMARY) */ WHERE queue_id <> 0 AND seq IN (%s)"
                .formatted(texts.stream()
                        .map(text -> String.valueOf(sequence(text)))
                        .collect(Collectors.joining(", ")));
    }

    /** Deletes all messages, wherever they are. */
    public void deleteMessages() {
        for (String table : List.of("message", "queue", "delivery")) {
            update("DELETE FROM shop_" + table);
        }
    }

    /** The messages that are not in exactly one of the queue and the deliveries, and the rows there without a message. */
    public List<String> misplaced() {
        return query("""
                SELECT CONCAT('message ', m.seq) FROM shop_message m LEFT JOIN shop_queue q ON q.seq = m.seq
                  LEFT JOIN shop_delivery d ON d.seq = m.seq WHERE (q.seq IS NULL) = (d.seq IS NULL)
                UNION ALL SELECT CONCAT('waiting ', q.seq) FROM shop_queue q LEFT JOIN shop_message m ON m.seq = q.seq
                  WHERE m.seq IS NULL
                UNION ALL SELECT CONCAT('delivery ', d.seq) FROM shop_delivery d LEFT JOIN shop_message m ON m.seq = d.seq
                  WHERE m.seq IS NULL""");
    }

    /** Puts the settled messages that meet a condition into the queues of their partitions again, as a replay does. */
    public void requeue(String where) {
        update("""
                INSERT INTO shop_queue (seq, queue_id)
                SELECT m.seq, m.partition_id FROM shop_message m WHERE m.seq IN (SELECT d.seq FROM shop_delivery d) AND (%s)""".formatted(where));
        update("DELETE FROM shop_delivery WHERE seq IN (SELECT q.seq FROM shop_queue q)");
    }

    public void setTime(String table, String column, Instant time, String where) {
        String sql = "UPDATE shop_%s SET %s = ? WHERE %s".formatted(table, column, where);
        try (Connection connection = dataSource.getConnection();
                PreparedStatement update = connection.prepareStatement(sql)) {
            kind.dialect().setTime(update, 1, time);
            update.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Creates another, empty schema on the same server. */
    public String otherSchema() {
        update("CREATE SCHEMA other" + OTHERS.incrementAndGet());
        return "other" + OTHERS.get();
    }

    /** Reads a time of the only message. */
    Instant time(String column) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT %s AS %s FROM shop_message_view"
                        .formatted(kind.dialect().selectTime(column), column));
                ResultSet rows = select.executeQuery()) {
            rows.next();
            return kind.dialect().time(rows, column);
        } catch (SQLException e) {
            throw new IllegalStateException(column, e);
        }
    }

    /** Renames a column. */
    public void rename(String table, String column, String other) {
        String h2 = "ALTER TABLE %s ALTER COLUMN %s RENAME TO %s";
        String others = "ALTER TABLE %s RENAME COLUMN %s TO %s";
        update((kind == Database.H2 ? h2 : others).formatted(table, column, other));
    }

    /**
     * Gives a row a value that no driver can convert, after the column was made one of texts.
     *
     * @param column with the name of its table, as in {@code queue.attempts}
     */
    public void damage(String column, long sequence) {
        String table = "shop_" + column.split("\\.")[0];
        String name = column.split("\\.")[1];
        String others = "ALTER TABLE %s ALTER COLUMN %s SET DATA TYPE VARCHAR(40)";
        String innoDb = "ALTER TABLE %s MODIFY %s VARCHAR(40) DEFAULT '0'";
        update((kind.isInnoDb() ? innoDb : others).formatted(table, name));
        update("UPDATE %s SET %s = 'damaged' WHERE seq = ?".formatted(table, name), sequence);
    }

    /**
     * Lets each commit on PostgreSQL flush the log. Otherwise the log is flushed later, and read watermarks rise only
     * after that.
     */
    public void commitToDisk() {
        update("ALTER DATABASE " + query("SELECT current_database()").get(0) + " SET synchronous_commit = on");
    }

    public void dropIndex(String table, String index) {
        update("DROP INDEX " + index + (kind.isInnoDb() ? " ON " + table : ""));
    }

    private static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }

    @Override
    public void close() {
        kind.drop(dataSource);
    }
}
