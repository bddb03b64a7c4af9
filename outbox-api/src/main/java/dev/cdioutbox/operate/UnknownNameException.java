package dev.cdioutbox.operate;

import dev.cdioutbox.OutboxException;
import org.jspecify.annotations.Nullable;

/** The caller of an operation named a destination or an outbox that is not configured. */
public class UnknownNameException extends OutboxException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param code the stable code; not null
     * @param text what happened, to what, the likely cause and the next step, without the code; not null
     * @param cause the underlying failure, or null
     */
    public UnknownNameException(String code, String text, @Nullable Throwable cause) {
        super(code, text, cause);
    }
}
