package dev.cdioutbox.internal.consume;

import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.json.bind.JsonbException;
import jakarta.json.stream.JsonLocation;
import jakarta.json.stream.JsonParsingException;

/**
 * An exception of a reader of JSON, without its text, which quotes the value that it cannot read: that would show a part of the
 * payload in logs, in the last error of the message, and to users from whom a mask hides it.
 */
final class UnreadableJson extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Yasson tells the property by its text only. It is one of the class, not of the payload. */
    private static final Pattern PROPERTY =
            Pattern.compile("(?s)Unable to deserialize property '([\\w$]+)' because of: .*");

    private UnreadableJson(Throwable original) {
        super(
                original.getClass().getName(),
                original.getCause() == null || original.getCause() == original
                        ? null
                        : new UnreadableJson(original.getCause()));
        setStackTrace(original.getStackTrace());
    }

    /** With the class and the stack trace of each exception. */
    static UnreadableJson of(JsonbException failure) {
        return new UnreadableJson(failure);
    }

    /** Where and how it failed, in the words of a sentence: the property, the class of the first cause, and the place in the code. */
    static String reason(JsonbException failure, Class<?> as) {
        List<Throwable> chain = Stream.<Throwable>iterate(
                        failure, Objects::nonNull, each -> each.getCause() == each ? null : each.getCause())
                .toList();
        String property = chain.stream()
                .filter(JsonbException.class::isInstance)
                .map(each -> PROPERTY.matcher(String.valueOf(each.getMessage())))
                .filter(Matcher::matches)
                .map(found -> found.group(1))
                .collect(Collectors.joining("."));
        Throwable root = chain.get(chain.size() - 1);
        StackTraceElement[] trace = root.getStackTrace();
        return "as " + as.getName() + (property.isEmpty() ? "" : ", property " + property) + ": "
                + root.getClass().getName() + location(root) + (trace.length == 0 ? "" : " at " + trace[0]);
    }

    private static String location(Throwable root) {
        JsonLocation location = root instanceof JsonParsingException parsing ? parsing.getLocation() : null;
        return location == null
                ? ""
                : " in line " + location.getLineNumber() + ", column " + location.getColumnNumber();
    }
}
