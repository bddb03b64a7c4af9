package dev.cdioutbox.internal.consume;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Set;

import dev.cdioutbox.internal.capture.event.StorableText;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.store.inbox.JdbcInbox;

/** What the inbox can record of a consumer and of its messages. */
public final class ConsumerRules {
    /** Databases refuse times that are much later. */
    private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    private ConsumerRules() {}

    /** Why a consumer cannot have this name; null if it can. */
    public static String nameProblem(String name) {
        return name.isBlank() || name.length() > JdbcInbox.MAX_CONSUMER_LENGTH
                ? "its name '%s' must have 1 to %s characters".formatted(name, JdbcInbox.MAX_CONSUMER_LENGTH)
                : null;
    }

    /**
     * Why a consumer cannot use an outbox, as far as the configuration tells; null if it can.
     *
     * @param outbox a name; empty for the default outbox
     */
    public static String outboxProblem(String outbox) {
        return outbox.isEmpty() ? null : outboxProblem(outbox, CurrentConfig.names());
    }

    /**
     * The same with the names of the outboxes that are configured.
     *
     * @param outbox a name
     */
    public static String outboxProblem(String outbox, Set<String> outboxes) {
        return outboxes.contains(outbox)
                ? null
                : "its outbox '%s' is not configured (key outbox.outboxes.%s.datasource); configured are %s"
                        .formatted(outbox, outbox, outboxes);
    }

    /** The time that a property of a message says; null for one that is none, or that databases cannot keep. */
    public static Instant timeOrNull(String text) {
        try {
            Instant time = text == null ? null : Instant.parse(text);
            return time == null || time.isBefore(Instant.EPOCH) || time.isAfter(LAST) ? null : time;
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Why the inbox cannot record an id or a key, as the predicate of a sentence; null if it can. */
    public static String idProblem(String text) {
        return text.length() > JdbcInbox.MAX_ID_LENGTH
                ? "has %s characters; at most %s are allowed".formatted(text.length(), JdbcInbox.MAX_ID_LENGTH)
                : StorableText.problem(text);
    }
}
