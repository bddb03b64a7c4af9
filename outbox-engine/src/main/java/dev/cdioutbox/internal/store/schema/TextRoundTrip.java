package dev.cdioutbox.internal.store.schema;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;

import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;

/**
 * Writes a text to the tables and reads it, since no setting of a DataSource is a proof: with a character set in its URL, a
 * driver replaces letters without an error, and two keys may become one. The row is one of nodes, which no dispatcher sends,
 * and is rolled back.
 */
public final class TextRoundTrip {
    /** With letters of one to four bytes, of which most character sets lack some. */
    private static final String TEXT = "ł € 日 😀";

    private final Connections connections;
    private final String application;
    private final String write;
    private final String read;

    public TextRoundTrip(Connections connections, String application, Sql sql) {
        this.connections = connections;
        this.application = application;
        write = sql.of("""
                INSERT INTO {node} (node_id, application, module_name, host, server, process, version, started_at, last_tick_at)
                VALUES (:id, :application, 'check', :text, 'check', 0, 'check', {now}, {now})""");
        // A session that stores other letters than it was given may give the same back.
        read = sql.with("bytes", SupportedDatabases.isTested(sql.dialect()) ? "OCTET_LENGTH(host)" : "NULL")
                .of("SELECT host, {bytes} FROM {node} WHERE node_id = :id");
    }

    /**
     * Do not call this in a JTA transaction.
     *
     * @return what came back in the place of what; null if nothing is damaged
     */
    public String damage() {
        return connections.inLocalTransaction("writing a text", this::damage);
    }

    private String damage(Connection connection) throws SQLException {
        String id = "check-" + UUID.randomUUID();
        try {
            JdbcStatement.of(connection, write)
                    .set("id", id)
                    .set("application", application)
                    .set("text", TEXT)
                    .update();
        } catch (SQLException refused) {
            if (JdbcStatement.isRefusedText(refused)) {
                // A database that refuses letters damages none.
                return null;
            }
            throw refused;
        }
        String written = shown(TEXT, bytes(TEXT));
        String stored = JdbcStatement.of(connection, read).set("id", id).first(row -> {
            int bytes = row.getInt(2);
            return shown(row.getString(1), row.wasNull() ? bytes(row.getString(1)) : bytes);
        });
        return stored.equals(written) ? null : written + " came back as " + stored;
    }

    private static String shown(String text, int bytes) {
        return "'" + text + "' in " + bytes + " byte(s)";
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
