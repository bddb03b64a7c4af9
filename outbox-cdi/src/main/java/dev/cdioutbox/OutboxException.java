package dev.cdioutbox;

import java.util.Objects;

/**
 * A refusal or failure of the outbox. The message begins with the {@linkplain #code() code} and says what happened, to
 * what, the likely cause and the next step.
 *
 * <p>If {@code fire()} throws this exception, the outbox stores no row of the event. An active transaction is marked
 * for rollback, so that no business change commits without its event.
 */
public class OutboxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;

    /**
     * Creates an exception.
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
     * The stable code of this kind of problem; {@code docs/messages.md} explains each code.
     *
     * @return the code, for example {@code OBX-0101}; never null
     */
    public final String code() {
        return code;
    }
}
