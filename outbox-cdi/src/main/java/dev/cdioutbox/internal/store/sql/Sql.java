package dev.cdioutbox.internal.store.sql;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * Fills the words in braces of a statement, so that what is left is SQL as a person would write it.
 *
 * <table>
 * <caption>Words in braces</caption>
 * <tr><th>words</th><th>are replaced by</th></tr>
 * <tr><td>{@code message}</td><td>the table with its prefix</td></tr>
 * <tr><td>{@code queue q by key}, {@code queue q by queue_order}</td><td>the table with a hint for its primary key or for an
 * index; the alias may be missing</td></tr>
 * <tr><td>{@code join message}</td><td>the join of a message {@code m} to a row {@code q} of the queue</td></tr>
 * <tr><td>{@code look up message}</td><td>the same for queries on many rows, which leaves out rows without a message</td></tr>
 * <tr><td>{@code now}, {@code now+ms}</td><td>the database's time; the same plus a parameter in milliseconds</td></tr>
 * <tr><td>{@code limit 1}, {@code any 1}</td><td>the end of a query with an order, and without one</td></tr>
 * <tr><td>{@code PENDING}</td><td>the number of the status</td></tr>
 * <tr><td>{@code is pending}</td><td>the condition on a row of the queue that the outbox still has to send</td></tr>
 * <tr><td>other words</td><td>a fragment that the caller has added</td></tr>
 * </table>
 *
 * @param prefix the prefix of the tables, perhaps with the name of a schema
 * @param texts makes a text of any origin one that the tables take
 * @param fragments by name
 */
public record Sql(String prefix, Dialect dialect, ColumnText texts, Map<String, String> fragments) {
    private static final Pattern WORDS = Pattern.compile("\\{([^{}]+)}");

    public Sql(String prefix, Dialect dialect) {
        this(prefix, dialect, ColumnText.UNICODE);
    }

    public Sql(String prefix, Dialect dialect, ColumnText texts) {
        this(prefix, dialect, texts, Map.of());
    }

    /** The same with one fragment more. */
    public Sql with(String name, Object fragment) {
        Map<String, String> more = new HashMap<>(fragments);
        more.put(name, String.valueOf(fragment));
        return new Sql(prefix, dialect, texts, more);
    }

    /** The statement with its words filled in. */
    public String of(String text) {
        return WORDS.matcher(text).replaceAll(words -> Matcher.quoteReplacement(fill(words.group(1))));
    }

    private String fill(String words) {
        String[] word = words.split(" ");
        if (fragments.containsKey(words)) {
            return fragments.get(words);
        } else if (word[0].equals(word[0].toUpperCase(Locale.ROOT))) {
            return String.valueOf(StatusCode.of(OutboxStatus.valueOf(words)));
        }
        return switch (word[0]) {
            case "now" -> dialect.now();
            case "now+ms" -> dialect.nowPlusMillis();
            case "limit" -> dialect.limit(word[1]);
            case "any" -> dialect.limitUnordered(word[1]);
            case "join" -> dialect.joinMessage(prefix + "message");
            case "look" -> dialect.lookUpMessage(prefix + "message");
            case "is" -> QueueId.isPending(dialect);
            default -> table(word);
        };
    }

    private String table(String... word) {
        int by = List.of(word).indexOf("by");
        if (by < 0) {
            return prefix + String.join(" ", word);
        }
        String table = prefix + String.join(" ", List.of(word).subList(0, by));
        String index = word[by + 1];
        return index.equals("key")
                ? dialect.byPrimaryKey(table)
                : dialect.byIndex(table, dialect.indexPrefix(prefix) + index);
    }

    /** Locks rows by their primary key, and waits for other transactions. */
    public String lock(String columns, String table, String condition) {
        return dialect.lock(of(columns), dialect.byPrimaryKey(prefix + table), of(condition));
    }

    /** Locks rows by their primary key, and skips those that other transactions lock. */
    public String lockSkipLocked(String columns, String table, String condition) {
        return dialect.lockSkipLocked(of(columns), dialect.byPrimaryKey(prefix + table), of(condition));
    }

    /**
     * Deletes rows by their primary key. The condition has to name a column outside of the key, too: by a list of keys alone,
     * MySQL reads a small table as a whole, and waits for rows that other transactions lock.
     */
    public String delete(String table, String condition) {
        return dialect.deleteByPrimaryKey(prefix + table) + " WHERE " + of(condition);
    }
}
