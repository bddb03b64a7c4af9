package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
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
        return new StoreConfig("jdbc/shop", mode, PREFIX, application, partitions, StoreConfig.Ordering.ROW_LOCK, null);
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
        return query("SELECT status FROM shop_message ORDER BY seq");
    }

    public long sequence(String text) {
        return Long.parseLong(
                query("SELECT seq FROM shop_message WHERE payload = ?", text).get(0));
    }

    /** Makes failed messages due. */
    public void makeDue() {
        // One second ago, as in production: a claim would have served earlier keys already.
        setTime("available_at", Instant.now().minusSeconds(1), "status = 'FAILED'");
        setTime("blocked_key", "due_at", Instant.now().minusSeconds(1), "due_at < TIMESTAMP '9000-01-01 00:00:00'");
    }

    public void setTime(String column, Instant time, String where) {
        setTime("message", column, time, where);
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
                PreparedStatement select = connection.prepareStatement("SELECT %s AS %s FROM shop_message"
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
