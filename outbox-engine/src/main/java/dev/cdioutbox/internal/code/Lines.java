package dev.cdioutbox.internal.code;

/** An argument of an {@link OutboxCode} that may have several lines, because the outbox itself has made the text. */
public record Lines(String text) {
    @Override
    public String toString() {
        return text;
    }
}
