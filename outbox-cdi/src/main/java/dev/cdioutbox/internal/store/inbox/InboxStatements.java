package dev.cdioutbox.internal.store.inbox;

import java.util.List;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.UniqueInsert;

/** The SQL of the inbox, built once for a table prefix and a dialect. */
public final class InboxStatements {
    final UniqueInsert enter;
    final UniqueInsert insertKey;
    final String advance;
    /**
     * One statement for each table; the parameters are the application, the age in negative milliseconds, and the
     * limit.
     */
    public final List<String> sweep;

    public InboxStatements(String prefix, Dialect dialect) {
        String messages = prefix + "inbox";
        String keys = prefix + "inbox_key";
        enter = dialect.uniqueInsert(
                messages,
                "application = ? AND consumer = ? AND message_id = ?",
                "INSERT INTO %s (application, consumer, message_id, received_at) VALUES (?, ?, ?, %s)"
                        .formatted(messages, dialect.now()));
        advance = """
                UPDATE %s SET last_sequence = ?, received_at = %s
                WHERE application = ? AND consumer = ? AND message_key = ? AND last_sequence <= ?""".formatted(keys, dialect.now());
        insertKey = dialect.uniqueInsert(
                keys, "application = ? AND consumer = ? AND message_key = ?", """
                INSERT INTO %s (application, consumer, message_key, last_sequence, received_at)
                VALUES (?, ?, ?, ?, %s)""".formatted(keys, dialect.now()));
        String old = "application = ? AND received_at < " + dialect.nowPlusMillis();
        sweep = List.of(
                dialect.deleteFirst(messages, "application, consumer, message_id", old),
                dialect.deleteFirst(keys, "application, consumer, message_key", old));
    }
}
