package dev.cdioutbox.internal.operate.console;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;

/**
 * The parameters of a request, and the filter from them. An empty parameter counts as missing. Blanks around names,
 * numbers and times are ignored; in keys, errors and the application's ids they are significant.
 */
record RequestQuery(Map<String, String[]> parameters) {
    private static final int LONGEST = 500;

    String text(String name) {
        String value = literally(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    private String literally(String name) {
        String value = values(name).findFirst().orElse("");
        if (value.length() > LONGEST) {
            throw RequestRefusedException.badRequest(name + " is too long.");
        }
        return value.isEmpty() ? null : value;
    }

    private Stream<String> values(String name) {
        return Arrays.stream(parameters.getOrDefault(name, new String[0]));
    }

    OutboxFilter filter() {
        try {
            return OutboxFilter.all()
                    .withStatus(statuses())
                    .withEventType(text("type"))
                    .withKey(literally("key"))
                    .withDestination(text("destination"))
                    .withCorrelationId(literally("correlation"))
                    .withCausationId(literally("causation"))
                    .withTenantId(literally("tenant"))
                    .withCreated(time("from"), time("before"))
                    .withError(literally("error"));
        } catch (IllegalArgumentException impossible) {
            throw RequestRefusedException.badRequest(impossible.getMessage() + ".");
        }
    }

    /** The part of the matching messages that the request names. */
    OutboxPageRequest range(int limit) {
        return OutboxPageRequest.of(limit).withAfter(number("after")).withBefore(number("below"));
    }

    private Long number(String name) {
        return parsed(name, text(name), Long::valueOf, "a number");
    }

    private Instant time(String name) {
        return parsed(name, text(name), Instant::parse, "a time such as 2026-01-31T23:59:59Z");
    }

    private OutboxStatus[] statuses() {
        return values("status")
                .filter(name -> !name.isBlank())
                .map(name -> parsed("status", name, OutboxStatus::valueOf, "a state such as PENDING"))
                .distinct()
                .toArray(OutboxStatus[]::new);
    }

    /** Refuses an unreadable value without repeating it. */
    private static <T> T parsed(String name, String value, Function<String, T> parse, String form) {
        try {
            return value == null ? null : parse.apply(value);
        } catch (DateTimeException | IllegalArgumentException unreadable) {
            throw RequestRefusedException.badRequest(name + " must be " + form + ".");
        }
    }
}
