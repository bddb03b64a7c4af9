package dev.cdioutbox.sample;

import jakarta.ejb.ApplicationException;

/**
 * Rejects a request of the caller. As an application exception, it reaches the caller unwrapped, and rolls the
 * transaction back.
 */
@ApplicationException(rollback = true)
abstract class OrderRejected extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OrderRejected(String message) {
        super(message);
    }
}
