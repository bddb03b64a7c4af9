package dev.cdioutbox.internal.store.operate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.StatusCode;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;

/**
 * Takes what the application has put into settled messages out of the tables: the row of a message stays with its type, times and
 * outcome; that of the archive goes as a whole. Thread-safe.
 */
final class ErasureTable {
    /** In rows of the archive: the parameters of one statement. */
    private static final int ARCHIVED_AT_ONCE = 500;

    private final String application;
    private final Dialect dialect;
    private final Sql sql;
    private final String lock;
    private final String ids;
    private final String eraseErrors;
    private final String erase;
    private final String deleteArchived;
    private final String deleteArchivedMessage;

    ErasureTable(String application, Sql sql) {
        this.application = application;
        this.dialect = sql.dialect();
        this.sql = sql;
        lock = sql.of("""
                SELECT seq, status FROM {delivery} /*! FORCE INDEX (PRIMARY) */
                WHERE status > 0 AND seq IN (:sequences) FOR UPDATE SKIP LOCKED""");
        ids = sql.of("SELECT message_id FROM {message} /*! FORCE INDEX (PRIMARY) */ WHERE seq IN (:sequences)");
        eraseErrors = sql.of("""
                UPDATE {delivery} /*! FORCE INDEX (PRIMARY) */ SET last_error = NULL
                WHERE status > 0 AND seq IN (:sequences)""");
        erase = sql.of("""
                UPDATE {message} /*! FORCE INDEX (PRIMARY) */ SET payload = NULL, payload_binary = NULL, headers = NULL,
                  message_key = NULL, aggregate_id = NULL, correlation_id = NULL, causation_id = NULL, tenant_id = NULL
                WHERE payload_bytes >= 0 AND seq IN (:sequences)""");
        deleteArchived = sql.of("""
                DELETE /*! m */ FROM {archive} /*! m FORCE INDEX (PRIMARY) */
                WHERE payload_bytes >= 0 AND seq IN (:sequences)""");
        deleteArchivedMessage =
                sql.of("DELETE FROM {archive} WHERE message_id = :message AND application = :application");
    }

    /** Erases the settled messages among these that no other transaction has locked. */
    Erased erase(Connection connection, List<Long> sequences) throws SQLException {
        List<Long> settled = new ArrayList<>();
        List<Long> published = new ArrayList<>();
        of(connection, lock, sequences).forEach(row -> {
            settled.add(row.getLong("seq"));
            if (StatusCode.status(row.getInt("status")) == OutboxStatus.PUBLISHED) {
                published.add(row.getLong("seq"));
            }
        });
        if (settled.isEmpty()) {
            return new Erased(List.of(), List.of(), 0);
        }
        of(connection, eraseErrors, settled).update();
        of(connection, erase, settled).update();
        return new Erased(settled, of(connection, ids, settled).list(row -> row.getString(1)), published.size());
    }

    /** Deletes the archived messages that match. Returns their number. */
    int deleteArchived(Connection connection, OutboxFilter filter) throws SQLException {
        QueryConditions conditions =
                QueryConditions.byKey(dialect, application).matching(filter, OutboxPageRequest.of(1));
        String find = sql.with("conditions", conditions)
                .of("SELECT m.seq FROM {archive} m WHERE {conditions} ORDER BY m.seq FETCH FIRST :limit ROWS ONLY");
        int deleted = 0;
        List<Long> found;
        do {
            found = conditions.statement(connection, find, ARCHIVED_AT_ONCE).numbers();
            deleted +=
                    found.isEmpty() ? 0 : of(connection, deleteArchived, found).update();
        } while (found.size() == ARCHIVED_AT_ONCE);
        return deleted;
    }

    int deleteArchived(Connection connection, String messageId) throws SQLException {
        return JdbcStatement.of(connection, deleteArchivedMessage)
                .set("message", messageId)
                .set("application", application)
                .within(QueryConditions.TIMEOUT_SECONDS)
                .update();
    }

    private static JdbcStatement of(Connection connection, String statement, List<Long> sequences) {
        return JdbcStatement.of(connection, statement)
                .set("sequences", sequences)
                .within(JdbcStatement.LOCK_WAIT_SECONDS);
    }
}
