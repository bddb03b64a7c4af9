package dev.cdioutbox.sample;

import jakarta.ejb.ApplicationException;

/** The caller asked for what cannot be. Reaches the caller as it is, and rolls the transaction back. */
@ApplicationException(rollback = true)
abstract class OrderRejected extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OrderRejected(String message) {
        super(message);
    }
}
