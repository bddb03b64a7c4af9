package dev.cdioutbox.jms;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Says what a message is that no outbox has sent, for {@link Inbox#accept(jakarta.jms.Message, String, ForeignMessage)}. Immutable.
 *
 * <pre>{@code
 * ForeignMessage price = ForeignMessage.ofType("PriceChanged").withKey(message.getStringProperty("article"));
 * }</pre>
 */
public final class ForeignMessage {
    private final String type;
    private final int version;
    private final @Nullable String key;
    private final @Nullable String id;

    private ForeignMessage(String type, int version, @Nullable String key, @Nullable String id) {
        this.type = Objects.requireNonNull(type, "type");
        this.version = version;
        this.key = key;
        this.id = id;
    }

    /**
     * A message of an event type, with version 1, without a key, and with the id that it has: the property {@code messageId}, or else the
     * {@code JMSMessageID}.
     *
     * @param type the event type, one of those of the handler; not null
     * @return the description; never null
     */
    public static ForeignMessage ofType(String type) {
        return new ForeignMessage(type, 1, null, null);
    }

    /**
     * With a version of the payload's shape.
     *
     * @param number the version
     * @return a copy
     */
    public ForeignMessage withVersion(int number) {
        return new ForeignMessage(type, number, key, id);
    }

    /**
     * With a key: the messages of a key are handled one after the other.
     *
     * @param orderingKey at most 255 characters, or null for none
     * @return a copy
     */
    public ForeignMessage withKey(@Nullable String orderingKey) {
        return new ForeignMessage(type, version, orderingKey, id);
    }

    /**
     * With an id that the sender gives its message, and gives again if it sends a copy. The {@code JMSMessageID} of such a copy is another
     * one.
     *
     * @param messageId 1 to 255 characters, or null for the id that the message has
     * @return a copy
     */
    public ForeignMessage withId(@Nullable String messageId) {
        return new ForeignMessage(type, version, key, messageId);
    }

    /** {@return the event type; not null} */
    public String type() {
        return type;
    }

    /** {@return the version of the payload's shape} */
    public int version() {
        return version;
    }

    /** {@return the ordering key, or null} */
    public @Nullable String key() {
        return key;
    }

    /** {@return the id, or null for the one that the message has} */
    public @Nullable String id() {
        return id;
    }
}
