package dev.cdioutbox.internal.operate.console;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;

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

    private Long number(String name) {
        String text = text(name);
        return text == null ? null : Long.valueOf(text);
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
                    .withError(literally("error"))
                    .withAfterSequence(number("after"))
                    .withBeforeSequence(number("below"));
        } catch (DateTimeException | IllegalArgumentException wrong) {
            throw RequestRefusedException.badRequest(
                    "The filter has a state, a number or a time (2026-01-31T23:59:59Z) that cannot be read.");
        }
    }

    private Instant time(String name) {
        String text = text(name);
        return text == null ? null : Instant.parse(text);
    }

    private OutboxStatus[] statuses() {
        return values("status")
                .filter(name -> !name.isBlank())
                .map(OutboxStatus::valueOf)
                .distinct()
                .toArray(OutboxStatus[]::new);
    }
}
