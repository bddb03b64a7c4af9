package dev.cdioutbox.internal.store.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.JdbcStatement;

/** Binds what the statements of the inbox have in common, and runs them. */
record InboxStatements(String application, Dialect dialect) {
    /** One such key for each consumer. No message has an empty key. */
    static final String PURGED = "";

    /** For statements without a position. */
    static final Position NOWHERE = new Position(0, null);

    /**
     * In seconds, the default timeout of a transaction. After this time a transaction that handles the same message has
     * ended or is in doubt. A shorter wait would waste a redelivery.
     */
    static final int MAX_WAIT_SECONDS = 120;

    /** @param id of the message, or the key */
    JdbcStatement of(Connection connection, String text, String consumer, String id, Position position) {
        return of(connection, text)
                .set("consumer", dialect.encodeText(consumer))
                .set("id", dialect.encodeText(id))
                .set("sequence", position.sequence())
                .set("stored", position.storedAt() == null ? null : dialect.timeValue(position.storedAt()));
    }

    JdbcStatement of(Connection connection, String text) {
        return JdbcStatement.of(connection, text)
                .set("application", dialect.encodeText(application))
                .set("purged", dialect.encodeText(PURGED))
                .within(MAX_WAIT_SECONDS);
    }

    int update(JdbcStatement statement) throws SQLException {
        return repeated(statement::update);
    }

    Long number(JdbcStatement statement) throws SQLException {
        return repeated(statement::number);
    }

    /** Repeats a statement after a lock timeout, which some databases end after a second, with the transaction usable. */
    private <T> T repeated(Execution<T> execution) throws SQLException {
        long start = System.nanoTime();
        while (true) {
            try {
                return execution.run();
            } catch (SQLException e) {
                boolean waited = System.nanoTime() - start
                        > Duration.ofSeconds(MAX_WAIT_SECONDS).toNanos();
                if (waited || !dialect.isLockTimeout(e)) {
                    throw e;
                }
            }
        }
    }

    private interface Execution<T> {
        T run() throws SQLException;
    }
}
