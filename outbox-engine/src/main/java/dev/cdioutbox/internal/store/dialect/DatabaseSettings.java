package dev.cdioutbox.internal.store.dialect;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.ColumnText;

/**
 * The settings that decide whether the database keeps what it has acknowledged, and which texts it takes: those of the
 * server, or of a database, a user or a session in their place.
 *
 * @param dialect the database's
 * @param values by name, as a session of the DataSource has them; only those that the product has
 */
public record DatabaseSettings(Dialect dialect, Map<String, String> values) {
    private static final String UTF8 = "UTF8";

    /** In bytes, for the rest of a statement with the largest message. */
    private static final int BESIDE_PAYLOAD = 65_536;

    /** Queries for names and values. They name what the product may lack, so that no relative of it refuses them. */
    private static final Map<Dialect, String> QUERIES = Map.of(
            SupportedDatabases.POSTGRESQL,
            "SELECT name, setting FROM pg_settings WHERE name IN ('server_encoding', 'synchronous_commit', 'fsync')",
            SupportedDatabases.MARIADB,
            "SHOW VARIABLES WHERE variable_name IN"
                    + " ('innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog', 'max_allowed_packet')");

    public static DatabaseSettings of(Connection connection, Dialect dialect) throws SQLException {
        Map<String, String> values = new HashMap<>();
        String query = QUERIES.get(dialect);
        if (query != null) {
            try (Statement select = connection.createStatement();
                    ResultSet row = select.executeQuery(query)) {
                while (row.next()) {
                    values.put(row.getString(1), row.getString(2));
                }
            }
        }
        return new DatabaseSettings(dialect, values);
    }

    /** Whether the settings of this database say if a commit waits for the disk. */
    public static boolean tellDurability(Dialect dialect) {
        return QUERIES.containsKey(dialect);
    }

    /** Which texts the database stores. */
    public ColumnText texts() {
        return values.getOrDefault("server_encoding", UTF8).equals(UTF8) ? ColumnText.UNICODE : ColumnText.ASCII;
    }

    /** Whether a crash of the database or its host may take back the last commits. H2 does not tell its WRITE_DELAY. */
    public boolean mayLoseTheLast() {
        return dialect == SupportedDatabases.H2 || !unforced().isEmpty();
    }

    /** The settings by which a commit does not wait for the disk. */
    private List<String> unforced() {
        List<String> unforced = Stream.of("synchronous_commit", "fsync", "innodb_flush_log_at_trx_commit")
                .filter(name -> Set.of("off", "0", "2").contains(values.getOrDefault(name, "")))
                .map(name -> name + "=" + values.get(name))
                .collect(Collectors.toList());
        // After a crash, MySQL rolls back each transaction that its binary log has lost.
        if ("ON".equals(values.get("log_bin")) && !"1".equals(values.get("sync_binlog"))) {
            unforced.add("sync_binlog=" + values.get("sync_binlog"));
        }
        return unforced;
    }

    /**
     * @param dataSource its name
     * @param maxPayloadBytes the largest payload that the outbox accepts
     */
    public List<Finding> findings(String dataSource, int maxPayloadBytes) {
        List<Finding> found = new ArrayList<>();
        if (texts() != ColumnText.UNICODE) {
            found.add(OutboxCode.NOT_UNICODE.finding(dataSource, values.get("server_encoding")));
        }
        if (!unforced().isEmpty()) {
            found.add(OutboxCode.COMMITS_NOT_FORCED.finding(dataSource, String.join(", ", unforced())));
        }
        // The drivers escape some letters, such as each quotation mark of a JSON text, by another one.
        long needed = 2L * maxPayloadBytes + BESIDE_PAYLOAD;
        long packet = Long.parseLong(values.getOrDefault("max_allowed_packet", String.valueOf(Long.MAX_VALUE)));
        if (packet < needed) {
            found.add(OutboxCode.PACKET_TOO_SMALL.finding(dataSource, packet, maxPayloadBytes, needed));
        }
        return found;
    }
}
