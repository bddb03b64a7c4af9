package dev.cdioutbox.internal.capture.event;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;

import dev.cdioutbox.internal.transport.CausingMessage;

/**
 * Which metadata the outbox can store and send. Each method that returns a problem returns a whole clause, or null for a value
 * that fits. A null value always fits: it removes what was set.
 */
public final class MetadataRules {
    /** In characters, as are the other lengths. */
    private static final int MAX_ID = 255;

    private static final int MAX_HEADER = 32_768;
    private static final Pattern MESSAGE_ID = Pattern.compile("ID:([0-9a-fA-F]{2})*");

    /** Every system has to pass on a tracestate of 512 characters (W3C Trace Context, level 2, 3.3.1.5). */
    private static final Pattern TRACE = Pattern.compile("[\\x21-\\x7e][\\x20-\\x7e\\t]{0,511}");

    private static final Set<String> PASSED_ON = Set.of("traceparent", "tracestate", CausingMessage.GENERATION);

    private static final Duration MAX_TIME_TO_LIVE = Duration.ofDays(3650);
    private static final Instant FIRST_MOMENT = Instant.EPOCH;
    private static final Instant LAST_MOMENT = Instant.parse("9999-12-31T00:00:00Z");

    private MetadataRules() {}

    static String problemOfHeader(String name, String value) {
        String header = "the header '" + name + "'";
        String ofName = HeaderNames.problem(name);
        return ofName == null ? problemOfText(header, value, MAX_HEADER) : header + " " + ofName;
    }

    /** @param what names the id in the sentence */
    static String problemOfId(String what, String id) {
        return problemOfText(what, id, MAX_ID);
    }

    /** JMS sends one that begins with ID: only if it is the id of a message (Jakarta Messaging 3.1, 3.4.3). */
    static String problemOfCorrelationId(String id) {
        return id == null || !id.startsWith("ID:") || MESSAGE_ID.matcher(id).matches()
                ? problemOfId("its correlation id", id)
                : "its correlation id '" + id + "' begins with ID:, which JMS keeps for the ids of messages";
    }

    private static String problemOfText(String what, String text, int longest) {
        if (text == null) {
            return null;
        }
        if (text.length() > longest) {
            return "%s has %s characters; at most %s are allowed".formatted(what, text.length(), longest);
        }
        String problem = StorableText.problem(text);
        return problem == null ? null : what + " " + problem;
    }

    static String problemOfDestinations(String... names) {
        if (names.length == 0) {
            return "it would be sent to no destination";
        }
        return Arrays.asList(names).contains(null) ? "a destination is null" : null;
    }

    static String problemOfDelay(Instant moment) {
        return moment != null && (moment.isBefore(FIRST_MOMENT) || moment.isAfter(LAST_MOMENT))
                ? "deliver-not-before is " + moment + ", which databases cannot keep"
                : null;
    }

    static String problemOfTimeToLive(Duration time) {
        return time != null && (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(MAX_TIME_TO_LIVE) > 0)
                ? "its time to live is " + time + "; allowed is a millisecond to " + MAX_TIME_TO_LIVE
                : null;
    }

    static String problemOfPriority(int priority) {
        return priority < 0 || priority > 9 ? "its priority is " + priority + "; allowed is 0 to 9" : null;
    }

    /** Whether a value fits into a header of W3C Trace Context. */
    static boolean isTrace(String value) {
        return value != null && TRACE.matcher(value).matches();
    }

    /** Whether a received header is stored: it is one of a sender, or of its trace or chain of causes. */
    public static boolean isPassedOn(String name) {
        return PASSED_ON.contains(name) || HeaderNames.problem(name) == null;
    }

    /** An id of a foreign message, or null if it does not fit: it must not fail the consumer's work. */
    public static String idOrNull(String id) {
        return problemOfId("it", id) == null ? id : null;
    }

    /** The same of a correlation id. */
    public static String correlationIdOrNull(String id) {
        return problemOfCorrelationId(id) == null ? id : null;
    }
}
