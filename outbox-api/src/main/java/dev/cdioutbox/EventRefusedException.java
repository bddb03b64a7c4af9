package dev.cdioutbox;

import org.jspecify.annotations.Nullable;

/**
 * An event is refused for what it contains: {@code fire()} cannot store it, or a consumer cannot read it. It would be
 * refused again, so correct its input, or leave the event out.
 *
 * <p>An enricher or a serializer may throw this exception too, to refuse an event. The caller of {@code fire()} then gets
 * that very exception. Its code is any code of the application's own that does not begin with {@code OBX-}.
 *
 * @see OutboxException
 */
public class EventRefusedException extends OutboxException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param code the stable code; not null
     * @param text what happened, to what, the likely cause and the next step, without the code; not null
     * @param cause the underlying failure, or null
     */
    public EventRefusedException(String code, String text, @Nullable Throwable cause) {
        super(code, text, cause);
    }
}
