package dev.cdioutbox;

import org.jspecify.annotations.Nullable;

/**
 * The database did not do the work, or has no tables for it yet. Nothing is changed. The same call may succeed later, in
 * a new transaction.
 *
 * @see OutboxException
 */
public class OutboxUnavailableException extends OutboxException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param code the stable code; not null
     * @param text what happened, to what, the likely cause and the next step, without the code; not null
     * @param cause the underlying failure, or null
     */
    public OutboxUnavailableException(String code, String text, @Nullable Throwable cause) {
        super(code, text, cause);
    }
}
