package dev.cdioutbox.operate;

import org.jspecify.annotations.Nullable;

/** The result of one call of {@link OutboxOperations} that changes messages by a filter. Immutable. */
public interface OutboxChange {

    /** {@return the number of messages that the call changed, or copied; it may be 0 although more messages follow} */
    int changed();

    /**
     * The request for the rest: after the last message that the call looked at, and up to the newest message at the
     * first call. So a loop does not meet a message twice, nor its copy, nor a message that was stored meanwhile.
     *
     * @return the request; null if nothing is left
     */
    @Nullable
    OutboxPageRequest next();
}
