package dev.cdioutbox.internal.store.sql;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxStatus;

/** The numbers by which the tables know the statuses: a row has one of a handful, and a number takes two bytes. */
public final class StatusCode {
    /** By number. The first three are of the queue, the others of the deliveries. */
    private static final List<OutboxStatus> BY_CODE = List.of(
            OutboxStatus.PENDING,
            OutboxStatus.FAILED,
            OutboxStatus.ABANDONED,
            OutboxStatus.PUBLISHED,
            OutboxStatus.EXPIRED,
            OutboxStatus.DISCARDED);

    public static final int PENDING = of(OutboxStatus.PENDING);
    public static final int FAILED = of(OutboxStatus.FAILED);
    public static final int ABANDONED = of(OutboxStatus.ABANDONED);
    public static final int PUBLISHED = of(OutboxStatus.PUBLISHED);

    private StatusCode() {}

    public static int of(OutboxStatus status) {
        return BY_CODE.indexOf(status);
    }

    /** @throws IllegalArgumentException if the row is of a newer version, or nothing says what became of the message */
    public static OutboxStatus status(int code) {
        if (code < 0 || code >= BY_CODE.size()) {
            throw new IllegalArgumentException("unknown status " + code);
        }
        return BY_CODE.get(code);
    }

    /** The numbers as a list in SQL. */
    public static String list(Collection<OutboxStatus> statuses) {
        return statuses.stream()
                .map(StatusCode::of)
                .sorted()
                .map(String::valueOf)
                .collect(Collectors.joining(", "));
    }

    /** An expression for the name of a status. */
    static String name(String code) {
        return Arrays.stream(OutboxStatus.values())
                .map(status -> "WHEN " + of(status) + " THEN '" + status + "'")
                .collect(Collectors.joining(" ", "CASE " + code + " ", " END"));
    }
}
