package dev.cdioutbox.operate;

/**
 * The result of one call of {@link OutboxOperations#erase(OutboxFilter, OutboxPageRequest)}: how many messages it has erased
 * ({@link #changed}), and what it has not reached. Immutable.
 */
public interface OutboxErasure extends OutboxChange {

    /** {@return how many of the erased messages were published, so that the broker and its consumers have had them} */
    int published();

    /**
     * {@return the number of messages that were not erased, because they are being settled or in doubt at this moment, or another user
     * changes them. Repeat the call for them}
     */
    int skipped();

    /** {@return the number of messages that were deleted from the archive; 0 unless this call is the last one} */
    int archived();
}
