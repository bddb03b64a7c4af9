package dev.cdioutbox.tests.crash;

import java.time.Instant;
import java.util.List;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxMetadata;
import dev.cdioutbox.spi.OutboxSerializer;

/** An event of the harness. Its payload holds all that the account book needs. */
public interface BusinessEvent {
    Details details();

    /** One event type for each kind that operators search for. */
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

    /** The treatment that an event must get from the engine. */
    enum Kind {
        /** Sent in the order of its key. */
        ORDERED,
        /** Sent in the order of its key, though the harness refuses its first sends. */
        REFUSED,
        /** Sent without a key. */
        KEYLESS,
        /** Sent after its time, and out of its key's order. */
        DELAYED,
        /** Sent without a key; operators replay some of these messages. */
        REPLAYABLE,
        /** Refused a few times; operators discard some of these messages in the meantime. */
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
     * @param notBefore null unless the event is delayed
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

    /** Serializes an event as its payload. */
    final class Serializer implements OutboxSerializer {
        @Override
        public String contentType(Object event) {
            return "text/plain";
        }

        @Override
        public OutboxPayload serialize(Object event) {
            return OutboxPayload.text(((BusinessEvent) event).details().payload());
        }
    }

    /** Delays the events with a time. */
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
