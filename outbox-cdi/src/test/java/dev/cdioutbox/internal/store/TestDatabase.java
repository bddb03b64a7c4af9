package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import org.h2.jdbcx.JdbcDataSource;

/** A fresh database in memory, and outboxes in it whose tables are not named as by default. */
public final class TestDatabase implements AutoCloseable {
    public static final String PREFIX = "shop_";

    private final JdbcDataSource dataSource = new JdbcDataSource();

    public TestDatabase() {
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    public DataSource dataSource() {
        return dataSource;
    }

    static StoreConfig config(SchemaMode mode, String application, int partitions) {
        return new StoreConfig("jdbc/shop", mode, PREFIX, application, partitions, StoreConfig.Ordering.ROW_LOCK);
    }

    /** An outbox with the destinations {@code default} and {@code audit}. */
    public JdbcOutboxStore open(int partitions) {
        return open(SchemaMode.CREATE, "shop", partitions);
    }

    JdbcOutboxStore open(SchemaMode mode, String application, int partitions) {
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

    /** Lets the time go by for which failed messages wait. */
    public void makeDue() {
        update("UPDATE shop_message SET available_at = DATEADD(HOUR, -1, CURRENT_TIMESTAMP) WHERE status = 'FAILED'");
    }

    private static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }

    @Override
    public void close() {
        update("SHUTDOWN");
    }
}
