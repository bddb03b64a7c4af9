package dev.cdioutbox.internal.operate.console;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.capture.event.StorableText;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxPageRequest;

/**
 * A parameter of the API: who may use it, and what its value may be.
 *
 * @param role which a user needs: whether anything was found tells the value
 * @param form the end of the sentence that refuses a value: "below must be …"
 */
record Parameter<T>(
        String name,
        Role role,
        Class<T> type,
        Function<String, T> read,
        String form,
        boolean isRequired,
        boolean isRepeatable) {
    private static final int LONGEST = 500;

    static final Parameter<String> OUTBOX = name("outbox");
    static final Parameter<OutboxStatus> STATUS = of(
                    "status",
                    OutboxStatus.class,
                    OutboxStatus::valueOf,
                    "one of " + listed(Arrays.stream(OutboxStatus.values())))
            .repeatable();
    static final Parameter<String> TYPE = name("type");
    static final Parameter<String> TYPES = TYPE.repeatable();
    static final Parameter<String> KEY = content("key");
    static final Parameter<String> AGGREGATE = content("aggregate");
    static final Parameter<String> DESTINATION = name("destination");
    static final Parameter<String> SOURCE = name("source");
    static final Parameter<String> CORRELATION = content("correlation");
    static final Parameter<String> CAUSATION = content("causation");
    static final Parameter<String> TENANT = content("tenant");
    static final Parameter<Instant> FROM = time("from");
    static final Parameter<Instant> BEFORE = time("before");
    static final Parameter<String> ERROR = content("error");

    /** Which messages, on each request that selects some. */
    static final List<Parameter<?>> FILTER =
            List.of(STATUS, TYPE, KEY, AGGREGATE, DESTINATION, CORRELATION, CAUSATION, TENANT, FROM, BEFORE, ERROR);

    /** A dead letter queue. */
    static final Parameter<String> QUEUE = name("queue");

    static final Parameter<String> MESSAGE = name("message");

    static final Parameter<Long> AFTER = of("after", Long.class, Long::valueOf, "a number");
    static final Parameter<Long> BELOW = of("below", Long.class, Long::valueOf, "a number");
    static final Parameter<Integer> LIMIT = of(
            "limit",
            Integer.class,
            value -> OutboxPageRequest.of(Integer.parseInt(value)).limit(),
            "a number from 1 to " + OutboxPageRequest.MAX_LIMIT);

    static final Parameter<String> ID = name("id");
    static final Parameter<MessageOperation> ACTION = of(
            "action",
            MessageOperation.class,
            value -> MessageOperation.of(value).orElseThrow(IllegalArgumentException::new),
            "one of " + listed(Arrays.stream(MessageOperation.values()).map(MessageOperation::action)));

    /** The name of an operation, by which a repeated request copies no message twice. */
    static final Parameter<String> OPERATION = of(
            "operation",
            String.class,
            value -> accepted(value, value.matches("[0-9a-f]{32}")),
            "32 hexadecimal digits, the first twelve a time in milliseconds");

    /** Blanks around a name have no meaning. */
    static Parameter<String> name(String name) {
        return of(name, String.class, value -> storable(value.strip()), textForm());
    }

    /** What a message contains. "a" and "a " are two keys: an operation on one must not change the other. */
    private static Parameter<String> content(String name) {
        return new Parameter<>(name, Role.SUPPORT, String.class, Parameter::storable, textForm(), false, false);
    }

    private static Parameter<Instant> time(String name) {
        return of(name, Instant.class, Instant::parse, "a time such as 2026-01-31T23:59:59Z");
    }

    static <T> Parameter<T> of(String name, Class<T> type, Function<String, T> read, String form) {
        return new Parameter<>(name, Role.VIEWER, type, read, form, false, false);
    }

    Parameter<T> required() {
        return new Parameter<>(name, role, type, read, form, true, isRepeatable);
    }

    private Parameter<T> repeatable() {
        return new Parameter<>(name, role, type, read, form, isRequired, true);
    }

    /** Refuses a value without repeating it. */
    T valueOf(String text) {
        try {
            return read.apply(text);
        } catch (DateTimeException | IllegalArgumentException unreadable) {
            throw RequestRefusedException.badRequest(name + " must be " + form + ".");
        }
    }

    private static String textForm() {
        return "a text of 1 to " + LONGEST + " characters, which are valid and not U+0000";
    }

    /** An empty value is refused: a client that lost its filter would change all messages. */
    private static String storable(String value) {
        return accepted(value, !value.isEmpty() && value.length() <= LONGEST && StorableText.problem(value) == null);
    }

    private static String accepted(String value, boolean isAccepted) {
        if (!isAccepted) {
            throw new IllegalArgumentException();
        }
        return value;
    }

    private static String listed(Stream<?> values) {
        return values.map(Object::toString).collect(Collectors.joining(", "));
    }
}
