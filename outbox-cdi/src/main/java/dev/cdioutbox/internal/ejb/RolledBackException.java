package dev.cdioutbox.internal.ejb;

import jakarta.ejb.ApplicationException;

/**
 * Reports that work failed and its transaction was rolled back. An application exception, so that the container logs no
 * stack trace.
 */
@ApplicationException(rollback = true)
public class RolledBackException extends Exception {
    private static final long serialVersionUID = 1L;

    RolledBackException(Throwable cause) {
        super(cause);
    }
}
