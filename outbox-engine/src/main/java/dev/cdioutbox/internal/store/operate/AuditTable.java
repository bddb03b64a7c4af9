package dev.cdioutbox.internal.store.operate;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxAuditEntry;

/**
 * Writes and reads the audit: the operations of operators, and the messages that each of them changed. Thread-safe; each
 * method runs in the caller's JTA transaction.
 */
public final class AuditTable {
    /** In entries: as many as a reader of one message's history gets. */
    public static final int MAX_HISTORY = 500;

    /** In characters; a longer subject is cut. */
    private static final int MAX_SUBJECT_LENGTH = 2000;

    private final Connections connections;
    private final String application;
    private final Dialect dialect;
    private final ColumnText texts;
    private final String insert;
    private final String insertMessage;
    private final String last;
    private final String lastOfMessage;

    public AuditTable(Connections connections, String application, Sql tables) {
        this.connections = connections;
        this.application = application;
        this.dialect = tables.dialect();
        this.texts = tables.texts();
        Sql sql = tables.with("columns", "id, done_by, done_as, action, subject, changed, {time done_at} AS done_at");
        insert = sql.of("""
                INSERT INTO {audit} (application, done_by, done_as, action, subject, changed, done_at)
                VALUES (:application, :who, :role, :action, :subject, :changed, {now})""");
        insertMessage = sql.of("INSERT INTO {audit_message} (seq, audit_id) VALUES (:sequence, :audit)");
        last = sql.of("""
                SELECT {columns} FROM {audit} WHERE application = :application AND id < :below
                ORDER BY id DESC FETCH FIRST :most ROWS ONLY""");
        lastOfMessage = sql.of("""
                SELECT {columns} FROM {audit_message} m JOIN {audit} a ON a.id = m.audit_id
                WHERE m.seq = (SELECT o.seq FROM {message} o WHERE o.application = :application AND o.message_id = :message)
                ORDER BY a.id DESC FETCH FIRST :most ROWS ONLY""");
    }

    /**
     * Writes an entry.
     *
     * @param role the role of the console by which it was done, or null
     * @param sequences the changed messages; empty for a pause or resume
     */
    public void insert(String who, String role, String action, String subject, int changed, List<Long> sequences) {
        connections.withConnection("writing the audit", connection -> {
            int audit = JdbcStatement.of(connection, insert)
                    .set("application", application)
                    .set("who", texts.of(who, ColumnText.USER_LENGTH))
                    .set("role", role)
                    .set("action", action)
                    .set("subject", texts.of(subject, MAX_SUBJECT_LENGTH))
                    .set("changed", changed)
                    .insert("id");
            JdbcStatement links = JdbcStatement.of(connection, insertMessage).set("audit", audit);
            sequences.forEach(sequence -> links.set("sequence", sequence).addBatch());
            links.updateBatch();
            return null;
        });
    }

    /**
     * The latest entries first.
     *
     * @param below the upper end of the ids, exclusive; null for none
     */
    public List<OutboxAuditEntry> last(int most, Long below) {
        long end = below == null ? Integer.MAX_VALUE : below;
        return connections.withConnection("reading the audit", connection -> JdbcStatement.of(connection, last)
                .set("application", application)
                .set("below", end)
                .set("most", most)
                .list(this::entry));
    }

    /** The entries of one message, the latest first. */
    public List<OutboxAuditEntry> lastOfMessage(String id, int most) {
        return connections.withConnection(
                "reading a message's history", connection -> JdbcStatement.of(connection, lastOfMessage)
                        .set("application", application)
                        .set("message", id)
                        .set("most", most)
                        .list(this::entry));
    }

    private OutboxAuditEntry entry(ResultSet row) throws SQLException {
        return new Entry(
                row.getLong("id"),
                dialect.time(row, "done_at"),
                row.getString("done_by"),
                row.getString("done_as"),
                row.getString("action"),
                row.getString("subject"),
                row.getInt("changed"));
    }

    /** A row. Public, as JSON-B needs it for the console. */
    public record Entry(long id, Instant at, String who, String role, String action, String subject, int changed)
            implements OutboxAuditEntry {}
}
