package dev.cdioutbox.jms.internal.dispatch;

import jakarta.ejb.ApplicationException;

/** Work failed and its transaction is rolled back. An application exception, so that the container logs no stack. */
@ApplicationException(rollback = true)
public class RolledBackException extends Exception {
    private static final long serialVersionUID = 1L;

    RolledBackException(Throwable cause) {
        super(cause);
    }
}
