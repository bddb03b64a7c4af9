package dev.cdioutbox.tests.capture;

/** The moments of a transaction at which an application can fire an event. */
public enum When {
    AT_ONCE,
    IN_THE_FLUSH,
    IN_A_FIRST_OBSERVER,
    IN_A_LAST_OBSERVER,
    IN_AN_INTERPOSED_SYNCHRONIZATION,
    IN_A_SYNCHRONIZATION,
    /** Another synchronization registers this one, so it runs after all that were registered before the completion. */
    IN_A_LATE_SYNCHRONIZATION,
    IN_AFTER_SUCCESS,
    IN_AFTER_FAILURE,
    IN_AFTER_COMPLETION,
    IN_AFTER_COMPLETION_OF_A_SYNCHRONIZATION;

    /** Whether the outbox can still store an event that is fired at this moment. */
    boolean isBeforeTheCommit() {
        return compareTo(IN_AFTER_SUCCESS) < 0;
    }
}
