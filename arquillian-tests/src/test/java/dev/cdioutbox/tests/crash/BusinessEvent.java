package dev.cdioutbox.tests.crash;

import java.time.Instant;
import java.util.List;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;
import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxMetadata;
import dev.cdioutbox.spi.OutboxSerializer;

/** An event of the harness. Its payload says all that the account book has to know of it. */
public interface BusinessEvent {
    Details details();

    /** Of each kind that operators look for, one event type. */
    List<Class<?>> TYPES = List.of(Keyed.class, Keyless.class, Replayable.class, Discardable.class);

    static BusinessEvent of(Details details) {
        return switch (details.kind()) {
            case REPLAYABLE -> new Replayable(details);
            case DISCARDABLE -> new Discardable(details, details.key());
            case KEYLESS -> new Keyless(details);
            case ORDERED, REFUSED, DELAYED -> new Keyed(details, details.key());
        };
    }

    static Details parse(String payload) {
        String[] parts = payload.split("\\|");
        return new Details(parts[0], Kind.valueOf(parts[1]), parts[2], Long.parseLong(parts[3]), null);
    }

    /** How the engine has to treat an event. */
    enum Kind {
        /** In its key's order. */
        ORDERED,
        /** In its key's order, though its sends are refused a few times. */
        REFUSED,
        /** Without a key. */
        KEYLESS,
        /** Not before a moment, and out of its key's order. */
        DELAYED,
        /** Without a key; operators send some of them again. */
        REPLAYABLE,
        /** Refused a few times, and meanwhile operators discard some of them. */
        DISCARDABLE;

        boolean isInOrder() {
            return this == ORDERED || this == REFUSED || this == DISCARDABLE;
        }

        int refusals() {
            return switch (this) {
                case REFUSED -> 2;
                case DISCARDABLE -> 3;
                default -> 0;
            };
        }
    }

    /**
     * @param number grows within a key in the order of commits
     * @param notBefore null but for a delayed one
     */
    record Details(String id, Kind kind, String key, long number, Instant notBefore) {
        String payload() {
            return String.join("|", id, kind.name(), key, String.valueOf(number));
        }
    }

    @OutboxEvent(type = "keyed")
    record Keyed(Details details, @OutboxKey String key) implements BusinessEvent {}

    @OutboxEvent(type = "keyless")
    record Keyless(Details details) implements BusinessEvent {}

    @OutboxEvent(type = Replayable.TYPE)
    record Replayable(Details details) implements BusinessEvent {
        static final String TYPE = "replayable";
    }

    @OutboxEvent(type = Discardable.TYPE)
    record Discardable(Details details, @OutboxKey String key) implements BusinessEvent {
        static final String TYPE = "discardable";
    }

    /** Writes the payload. */
    final class Serializer implements OutboxSerializer {
        @Override
        public String contentType() {
            return "text/plain";
        }

        @Override
        public String serialize(Object event) {
            return ((BusinessEvent) event).details().payload();
        }
    }

    /** Delays the events that have a moment. */
    final class Delay implements OutboxEnricher {
        @Override
        public void enrich(Object event, OutboxMetadata metadata) {
            Instant notBefore = ((BusinessEvent) event).details().notBefore();
            if (notBefore != null) {
                metadata.deliverNotBefore(notBefore);
            }
        }
    }
}
