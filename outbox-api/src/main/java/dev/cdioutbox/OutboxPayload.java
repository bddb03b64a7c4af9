package dev.cdioutbox;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * A serialized event: a text, such as JSON, or bytes, such as Avro. A text is stored as text, which SQL can read, and sent as
 * text; bytes are stored and sent as bytes. Immutable and safe to share between threads.
 */
public final class OutboxPayload {
    private static final byte[] NO_BYTES = {};
    private static final OutboxPayload ERASED = new OutboxPayload(Form.ERASED, "", NO_BYTES);

    private enum Form {
        TEXT,
        BINARY,
        ERASED
    }

    private final Form form;
    private final String text;
    private final byte[] bytes;

    private OutboxPayload(Form form, String text, byte[] bytes) {
        this.form = form;
        this.text = text;
        this.bytes = bytes;
    }

    /**
     * A payload that is a text.
     *
     * @param text may be empty; not null
     * @return the payload; never null
     */
    public static OutboxPayload text(String text) {
        return new OutboxPayload(Form.TEXT, Objects.requireNonNull(text, "the text is null"), NO_BYTES);
    }

    /**
     * A payload that is not a text.
     *
     * @param bytes may be empty; not null. They are copied
     * @return the payload; never null
     */
    public static OutboxPayload binary(byte[] bytes) {
        return new OutboxPayload(
                Form.BINARY,
                "",
                Objects.requireNonNull(bytes, "the bytes are null").clone());
    }

    /**
     * What is left of a payload that {@code outbox.retention.payload} has erased. No serializer may return it.
     *
     * @return always the same object; never null
     */
    public static OutboxPayload erased() {
        return ERASED;
    }

    /** {@return whether the payload is bytes and not a text} */
    public boolean isBinary() {
        return form == Form.BINARY;
    }

    /** {@return whether {@code outbox.retention.payload} has erased the payload} */
    public boolean isErased() {
        return form == Form.ERASED;
    }

    /**
     * The text.
     *
     * @return empty if the payload was erased; never null
     * @throws IllegalStateException if the payload is binary
     */
    public String text() {
        if (isBinary()) {
            throw new IllegalStateException("the payload is binary, and has no text; read toBytes()");
        }
        return text;
    }

    /** {@return a copy of the bytes, or the text in UTF-8; empty if the payload was erased; never null} */
    public byte[] toBytes() {
        return form == Form.TEXT ? text.getBytes(StandardCharsets.UTF_8) : bytes.clone();
    }

    /** {@return the number of bytes that {@link #toBytes} returns} */
    public int size() {
        return form == Form.TEXT ? text.getBytes(StandardCharsets.UTF_8).length : bytes.length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OutboxPayload payload
                && form == payload.form
                && text.equals(payload.text)
                && Arrays.equals(bytes, payload.bytes);
    }

    @Override
    public int hashCode() {
        return Objects.hash(form, text, Arrays.hashCode(bytes));
    }

    /** {@return the form and the size, without the content, which must not get into logs} */
    @Override
    public String toString() {
        return form + ", " + size() + " bytes";
    }
}
