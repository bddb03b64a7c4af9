package dev.cdioutbox.operate;

/**
 * What an operation of {@link OutboxOperations} on one message did.
 *
 * <pre>{@code
 * return switch (outbox.retry(messageId)) {
 *     case DONE -> Response.noContent().build();
 *     case REFUSED -> Response.status(409).build();
 *     case NOT_FOUND -> Response.status(404).build();
 * };
 * }</pre>
 */
public enum OutboxOutcome {
    /** The message is changed, or its copy is pending. */
    DONE,
    /**
     * Nothing is changed: the message's status does not allow the operation ({@link dev.cdioutbox.OutboxStatus}), a
     * transaction is settling the message, its commit is in doubt, or a replay finds its payload erased.
     */
    REFUSED,
    /** There is no such message: it was purged, or never stored. */
    NOT_FOUND
}
