package dev.cdioutbox.testing;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import dev.cdioutbox.operate.OutboxOperations;

/**
 * Waits in a test for the outbox of a running application: until all messages are delivered, or until one is abandoned.
 * Call this after the commit of the transaction that fires. Immutable and thread-safe.
 *
 * <pre>{@code
 * orders.place("7", "Ada"); // an EJB, whose transaction ends with this call
 * OutboxWait.on(outbox).atMost(Duration.ofSeconds(10)).untilDrained();
 * }</pre>
 */
public final class OutboxWait {
    private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(30);

    /** Short compared with a delivery, and long compared with the query. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final MessageSource messages;
    private final Duration limit;

    private OutboxWait(MessageSource messages, Duration limit) {
        this.messages = messages;
        this.limit = limit;
    }

    /**
     * For a test inside the application (Arquillian).
     *
     * @param outbox the injected operations; not null
     * @return a wait of 30 seconds at most; never null
     */
    public static OutboxWait on(OutboxOperations outbox) {
        Objects.requireNonNull(outbox, "outbox");
        return new OutboxWait(new OperationsSource(outbox), DEFAULT_LIMIT);
    }

    /**
     * For a test outside of the server that can reach the application's database.
     *
     * @param database the database with the outbox tables; the wait only reads them, with one connection for each
     *     query; not null
     * @param tablePrefix the value of {@code outbox.table-prefix}, by default {@code outbox_}; not null
     * @param application the value of {@code outbox.application}, by default the name of the WAR; not null
     * @return a wait of 30 seconds at most; never null
     */
    public static OutboxWait on(DataSource database, String tablePrefix, String application) {
        return new OutboxWait(
                new TableSource(
                        Objects.requireNonNull(database, "database"),
                        Objects.requireNonNull(tablePrefix, "tablePrefix"),
                        Objects.requireNonNull(application, "application")),
                DEFAULT_LIMIT);
    }

    /**
     * A copy with another limit.
     *
     * @param longest the longest wait; not null
     * @return the wait; never null
     */
    public OutboxWait atMost(Duration longest) {
        return new OutboxWait(messages, Objects.requireNonNull(longest, "longest"));
    }

    /**
     * Waits until no message is pending and none waits for a retry. Abandoned messages do not count.
     *
     * @throws AssertionError at the limit, with the remaining messages and their last errors
     */
    public void untilDrained() {
        List<SeenMessage> left = until(messages::undelivered, List::isEmpty);
        if (!left.isEmpty()) {
            throw new AssertionError("the outbox is not drained after " + limit + "; left are" + lines(left));
        }
    }

    /**
     * Waits until a message of a key is abandoned.
     *
     * @param key the ordering key of the message; not null
     * @return the error of the last attempt; never null
     * @throws AssertionError at the limit, with the undelivered messages and their last errors
     */
    public String untilAbandoned(String key) {
        Objects.requireNonNull(key, "key");
        List<SeenMessage> abandoned = until(() -> messages.abandoned(key), found -> !found.isEmpty());
        if (abandoned.isEmpty()) {
            throw new AssertionError("no message with key " + key + " is abandoned after " + limit + "; undelivered are"
                    + lines(messages.undelivered()));
        }
        return String.valueOf(abandoned.get(0).lastError());
    }

    /** The result of the last query, which meets the condition unless the limit has passed. */
    private List<SeenMessage> until(Supplier<List<SeenMessage>> look, Predicate<List<SeenMessage>> condition) {
        long begin = System.nanoTime();
        List<SeenMessage> seen = look.get();
        while (!condition.test(seen)
                && System.nanoTime() - begin < limit.toNanos()
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(PAUSE.toNanos());
            seen = look.get();
        }
        return seen;
    }

    private static String lines(List<SeenMessage> messages) {
        return messages.isEmpty()
                ? " none"
                : messages.stream().map(SeenMessage::toString).collect(Collectors.joining("\n  ", ":\n  ", ""));
    }
}
