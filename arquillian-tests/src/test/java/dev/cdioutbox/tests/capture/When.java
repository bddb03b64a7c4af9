package dev.cdioutbox.tests.capture;

/** The moments of a transaction at which an application can do something. */
public enum When {
    AT_ONCE,
    IN_THE_FLUSH,
    IN_A_FIRST_OBSERVER,
    IN_A_LAST_OBSERVER,
    IN_AN_INTERPOSED_SYNCHRONIZATION,
    IN_A_SYNCHRONIZATION,
    /** Registered by another synchronization, so that it runs after all that were there when the completion began. */
    IN_A_LATE_SYNCHRONIZATION,
    IN_AFTER_SUCCESS,
    IN_AFTER_FAILURE,
    IN_AFTER_COMPLETION,
    IN_AFTER_COMPLETION_OF_A_SYNCHRONIZATION;

    /** Whether what is fired then can still be stored. */
    boolean isBeforeTheCommit() {
        return compareTo(IN_AFTER_SUCCESS) < 0;
    }
}
