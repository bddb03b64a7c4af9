package dev.cdioutbox.internal.store.audit;

import dev.cdioutbox.internal.store.dialect.Dialect;

/** The SQL of the audit tables, built once for a table prefix and a dialect. */
public final class AuditStatements {
    final String insert;
    final String insertMessage;
    final String recent;
    final String lock;
    final String grow;
    final String last;
    final String lastOfMessage;
    final String messagesWithEntries;
    final String deleteMessageEntries;

    public AuditStatements(String prefix, Dialect dialect) {
        String audit = prefix + "audit";
        String columns = "done_by, action, subject, changed, " + dialect.selectTime("done_at") + " AS done_at";
        insert = "INSERT INTO %s (application, done_by, action, subject, changed, done_at) VALUES (?, ?, ?, ?, ?, %s)"
                .formatted(audit, dialect.now());
        insertMessage = "INSERT INTO %s_message (seq, audit_id) VALUES (?, ?)".formatted(audit);
        // No index has the operation's name, so the search covers the newest entries only.
        recent = """
                SELECT r.id, r.subject, r.changed FROM (
                  SELECT id, done_by, action, subject, changed FROM %s WHERE application = ? ORDER BY id DESC %s) r
                WHERE r.done_by = ? AND r.action = ? AND r.subject LIKE ?
                ORDER BY r.changed DESC""".formatted(audit, dialect.limit("?"));
        lock = "UPDATE %s SET changed = changed WHERE id = ? AND subject = ?".formatted(audit);
        grow = "UPDATE %s SET changed = changed + ?, subject = ? WHERE id = ?".formatted(audit);
        last = "SELECT %s FROM %s WHERE application = ? ORDER BY id DESC %s"
                .formatted(columns, audit, dialect.limit("?"));
        lastOfMessage = """
                SELECT %1$s FROM %2$s_message m JOIN %2$s a ON a.id = m.audit_id
                WHERE m.seq = (SELECT o.seq FROM %3$smessage o WHERE o.application = ? AND o.message_id = ?)
                ORDER BY a.id DESC %4$s""".formatted(columns, audit, prefix, dialect.limit("?"));
        messagesWithEntries = "SELECT DISTINCT seq FROM %s_message WHERE seq IN".formatted(audit) + " (%s)";
        deleteMessageEntries = "DELETE FROM %s_message WHERE seq IN".formatted(audit) + " (%s)";
    }
}
