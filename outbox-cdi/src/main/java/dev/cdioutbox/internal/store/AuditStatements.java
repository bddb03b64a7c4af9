package dev.cdioutbox.internal.store;

import java.util.List;

/** The SQL of what is noted of operators, built once for a table prefix and a dialect. */
final class AuditStatements {
    final String insert;
    final String insertMessage;
    final String last;
    final String ofMessage;
    private final String noted;
    private final String forget;

    AuditStatements(String prefix, Dialect dialect) {
        String audit = prefix + "audit";
        String columns = "done_by, action, subject, changed, " + dialect.read("done_at") + " AS done_at";
        insert = "INSERT INTO %s (application, done_by, action, subject, changed, done_at) VALUES (?, ?, ?, ?, ?, %s)"
                .formatted(audit, dialect.now());
        insertMessage = "INSERT INTO %s_message (seq, audit_id) VALUES (?, ?)".formatted(audit);
        last = "SELECT %s FROM %s WHERE application = ? ORDER BY id DESC %s"
                .formatted(columns, audit, dialect.first("?"));
        ofMessage = """
                SELECT %1$s FROM %2$s_message m JOIN %2$s a ON a.id = m.audit_id
                WHERE m.seq = (SELECT o.seq FROM %3$smessage o WHERE o.application = ? AND o.message_id = ?)
                ORDER BY a.id DESC %4$s""".formatted(columns, audit, prefix, dialect.first("?"));
        noted = "SELECT DISTINCT seq FROM %s_message WHERE seq IN".formatted(audit) + " (%s)";
        forget = "DELETE FROM %s_message WHERE seq IN".formatted(audit) + " (%s)";
    }

    static List<String> shape(String prefix) {
        return List.of(
                "SELECT id, application, done_by, action, subject, changed, done_at FROM %saudit WHERE 1 = 0"
                        .formatted(prefix),
                "SELECT seq, audit_id FROM %saudit_message WHERE 1 = 0".formatted(prefix));
    }

    String noted(int parameters) {
        return noted.formatted(Statements.marks(parameters));
    }

    String forget(int parameters) {
        return forget.formatted(Statements.marks(parameters));
    }
}
