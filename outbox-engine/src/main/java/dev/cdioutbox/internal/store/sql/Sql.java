package dev.cdioutbox.internal.store.sql;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.ColumnText;
import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * Makes statements out of SQL as it stands in the code. That is standard SQL, which the dialect {@linkplain Dialect#translate
 * translates}, with two kinds of names: {@code :name} is a parameter of each execution, and what is in braces is filled in
 * once, when the store is opened.
 *
 * <table>
 * <caption>In braces</caption>
 * <tr><td>{@code {queue}}</td><td>the table with its prefix</td></tr>
 * <tr><td>{@code {index}queue_due}</td><td>the index with its prefix</td></tr>
 * <tr><td>{@code {PENDING}}</td><td>the number of the status</td></tr>
 * <tr><td>{@code {is pending}}</td><td>the condition on a row of the queue that the outbox still has to send</td></tr>
 * <tr><td>{@code {now}}, {@code {now + :age}}</td><td>the database's time; the same plus a parameter in milliseconds</td></tr>
 * <tr><td>{@code {time :from}}</td><td>a parameter that is a time</td></tr>
 * <tr><td>{@code {time created_at}}</td><td>a time, as {@link Dialect#time} reads it</td></tr>
 * <tr><td>{@code {never}}</td><td>when a key is due that waits for an operator</td></tr>
 * <tr><td>another word</td><td>what the caller has added</td></tr>
 * </table>
 *
 * @param prefix the prefix of the tables, perhaps with the name of a schema
 * @param texts makes a text of any origin one that the tables take
 * @param fragments by name
 */
public record Sql(String prefix, Dialect dialect, ColumnText texts, Map<String, String> fragments) {
    private static final Pattern BRACES = Pattern.compile("\\{([^{}]+)}");

    public Sql(String prefix, Dialect dialect) {
        this(prefix, dialect, ColumnText.UNICODE);
    }

    public Sql(String prefix, Dialect dialect, ColumnText texts) {
        this(prefix, dialect, texts, Map.of());
    }

    /** The same with one fragment more, which may have braces itself. */
    public Sql with(String name, Object fragment) {
        Map<String, String> more = new HashMap<>(fragments);
        more.put(name, filled(String.valueOf(fragment)));
        return new Sql(prefix, dialect, texts, more);
    }

    /** A whole statement. */
    public String of(String text) {
        return dialect.translate(filled(text));
    }

    /** From the inside to the outside. */
    private String filled(String text) {
        Matcher braces = BRACES.matcher(text);
        return braces.find()
                ? filled(braces.replaceAll(found -> Matcher.quoteReplacement(filling(found.group(1)))))
                : text;
    }

    private String filling(String words) {
        if (fragments.containsKey(words)) {
            return fragments.get(words);
        } else if (words.equals("is pending")) {
            return QueueId.IS_PENDING;
        } else if (words.equals(words.toUpperCase(Locale.ROOT))) {
            return String.valueOf(StatusCode.of(OutboxStatus.valueOf(words)));
        }
        String word = words.replaceFirst(" .*", "");
        String rest = words.substring(word.length()).strip();
        return switch (word) {
            case "index" -> dialect.indexPrefix(prefix);
            case "never" -> dialect.neverDue();
            case "now" -> rest.isEmpty() ? dialect.now() : dialect.nowPlusMillis(rest.substring("+ ".length()));
            case "time" -> rest.startsWith(":") ? dialect.timeParameter(rest) : dialect.selectTime(rest);
            default -> {
                if (!rest.isEmpty()) {
                    throw new IllegalArgumentException("unknown: {" + words + "}");
                }
                yield prefix + word;
            }
        };
    }
}
