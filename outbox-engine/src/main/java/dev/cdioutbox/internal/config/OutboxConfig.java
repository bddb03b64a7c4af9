package dev.cdioutbox.internal.config;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.spi.DestinationId;

/**
 * One immutable and valid snapshot of the configuration of one outbox. Each batch works on one snapshot.
 *
 * @param outbox the name of the outbox
 * @param inboxRetention how long a consumer recognizes a duplicate
 * @param maxBacklogAge the age of the oldest unsent message beyond which the backlog is unhealthy; null for no limit
 * @param dispatch the settings of each destination, which differ from {@code dispatcher} and {@code retry} where the
 *     destination has a key of its own
 * @param handlers the event types of each handler, as in a route, by the name of its destination. They are in the code, and do not
 *     change
 */
public record OutboxConfig(
        String outbox,
        StoreConfig store,
        CaptureConfig capture,
        Map<String, DestinationConfig> destinations,
        Map<String, List<String>> routes,
        DispatcherConfig dispatcher,
        RetryConfig retry,
        RetentionConfig retention,
        Duration inboxRetention,
        Duration maxBacklogAge,
        ConsoleConfig console,
        MessageOptions jms,
        Map<String, Dispatch> dispatch,
        Map<String, List<String>> handlers) {

    /** The name of the default outbox. */
    public static final String DEFAULT_OUTBOX = DestinationId.DEFAULT_OUTBOX;

    public static final String DEFAULT_DESTINATION = "default";

    /** The log of Liberty's messaging has taken nine tenths of its size; four fifths leave room for other transactions. */
    private static final long MESSAGE_PER_MEBIBYTE_OF_LOG = 1_048_576 / 5 * 4;

    /** A copy that takes the parts that need a restart from the snapshot at start. */
    OutboxConfig in(OutboxConfig start) {
        return new OutboxConfig(
                start.outbox(),
                start.store(),
                start.capture(),
                destinationsIn(start),
                start.routes(),
                dispatcher,
                retry,
                retention,
                inboxRetention,
                maxBacklogAge,
                start.console(),
                jms,
                dispatch,
                handlers);
    }

    private Map<String, DestinationConfig> destinationsIn(OutboxConfig start) {
        Map<String, DestinationConfig> now = new TreeMap<>();
        destinations.forEach((name, destination) ->
                now.put(name, destination.in(start.destinations().get(name))));
        return now;
    }

    /** The destination that gets a copy of each message of this one that is given up; null if there is none. */
    public String deadLetterOf(String destination) {
        DestinationConfig found = destinations.get(destination);
        return found == null ? null : found.deadLetter();
    }

    /** The same, with the settings of one destination in place of the global ones. */
    public OutboxConfig of(String destination) {
        Dispatch own = dispatch.get(destination);
        return own == null
                ? this
                : new OutboxConfig(
                        outbox,
                        store,
                        capture,
                        destinations,
                        routes,
                        own.dispatcher(),
                        own.retry(),
                        retention,
                        inboxRetention,
                        maxBacklogAge,
                        console,
                        jms,
                        dispatch,
                        handlers);
    }

    /**
     * How many bytes of a message Liberty's messaging can commit. For a larger one than its log, it tries for ever to end the
     * transaction, and does not stop.
     *
     * @return {@link Long#MAX_VALUE} for a destination elsewhere, or if it is not known
     */
    public long messagingLimit(String destination) {
        boolean isLibertys = ConfigKey.CONNECTION_FACTORY
                .defaultText()
                .equals(destinations.get(destination).connectionFactory());
        return isLibertys && capture.messagingLog() != null
                ? capture.messagingLog() * MESSAGE_PER_MEBIBYTE_OF_LOG
                : Long.MAX_VALUE;
    }

    /** Whether dispatch is on for one destination at least. */
    public boolean isDispatching() {
        return dispatch.values().stream().anyMatch(own -> own.dispatcher().enabled());
    }

    /** The settings of dispatch and retries of one destination. */
    public record Dispatch(DispatcherConfig dispatcher, RetryConfig retry) {}

    /** The id of a destination of this outbox, by its name. */
    public DestinationId destinationId(String name) {
        return DestinationId.of(outbox, name);
    }

    /** The destinations of an event type whose annotation names none: by its name, else by the longest pattern. */
    public List<String> route(String eventType) {
        return routes.keySet().stream()
                .filter(route -> matches(route, eventType))
                .max(Comparator.comparing((String route) -> route.equals(eventType))
                        .thenComparing(String::length))
                .map(routes::get)
                .orElse(List.of(DEFAULT_DESTINATION));
    }

    /** The destinations of the handlers of an event type, in the order of their names. */
    public Stream<String> handlersOf(String eventType) {
        return handlers.entrySet().stream()
                .filter(handler -> handler.getValue().stream().anyMatch(route -> matches(route, eventType)))
                .map(Map.Entry::getKey)
                .sorted();
    }

    /** @param route an event type, or the beginning of some and an asterisk */
    public static boolean matches(String route, String eventType) {
        return route.endsWith("*")
                ? eventType.startsWith(route.substring(0, route.length() - 1))
                : route.equals(eventType);
    }

    /**
     * The capture of events.
     *
     * @param ownTransaction whether an event that is fired outside of a transaction gets its own; otherwise it is refused
     * @param messagingLog the size of the log of Liberty's messaging, in MiB; null if it is not known
     */
    public record CaptureConfig(boolean ownTransaction, int maxPayloadBytes, Integer messagingLog) {}

    /**
     * The console for operators.
     *
     * @param path the path below the context root; begins with a slash and does not end with one
     * @param deadLetters the queues of dead letters, by name
     * @param mask JSON pointers to the values in payloads that nobody sees
     */
    public record ConsoleConfig(
            boolean enabled, String path, Map<String, DeadLetterQueue> deadLetters, List<String> mask) {}
}
