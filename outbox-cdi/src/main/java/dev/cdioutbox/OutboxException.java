package dev.cdioutbox;

import java.util.Objects;

/**
 * Something the outbox refuses or cannot do. The message begins with the {@linkplain #code() code} and says what
 * happened, to what, the likely cause and the next step.
 *
 * <p>Thrown by {@code fire()} it means that nothing of the event is stored; a transaction that is active then is marked
 * for rollback, so that no business change commits without its event.
 */
public class OutboxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;

    /**
     * Makes an exception.
     *
     * @param code the stable code, for example {@code OBX-0101}; not null
     * @param text what happened, to what, the likely cause and the next step, without the code; not null
     * @param cause the underlying failure, or null
     */
    public OutboxException(String code, String text, Throwable cause) {
        super(Objects.requireNonNull(code, "code") + ": " + Objects.requireNonNull(text, "text"), cause);
        this.code = code;
    }

    /**
     * The stable code of this kind of problem, to be looked up in {@code docs/messages.md}.
     *
     * @return the code, for example {@code OBX-0101}; never null
     */
    public final String code() {
        return code;
    }
}
