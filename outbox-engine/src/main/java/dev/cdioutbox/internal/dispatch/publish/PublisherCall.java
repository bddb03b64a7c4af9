package dev.cdioutbox.internal.dispatch.publish;

import java.util.ServiceConfigurationError;

import dev.cdioutbox.internal.code.Causes;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Calls a publisher, which is foreign code and may throw anything: whatever it is becomes a {@link PublishException}. A rethrow
 * would stop the destination without a charge.
 */
public final class PublisherCall {
    private PublisherCall() {}

    /**
     * Makes a call. Exceptions and errors that a publisher should not throw are failures of unknown origin. The errors include
     * those of memory and stack, because a single message can use them up.
     *
     * @return the failure; null if the call has succeeded
     */
    public static PublishException failureOf(Environment.Work call) {
        try {
            call.run();
            return null;
        } catch (PublishException e) {
            return ofNode(e);
        } catch (Exception
                | LinkageError
                | AssertionError
                | ServiceConfigurationError
                | StackOverflowError
                | OutOfMemoryError e) {
            return ofNode(new PublishException(Blame.UNKNOWN, "the publisher failed", e));
        }
    }

    /** The same failure, unless this node cannot load a class or a native library: that fails every message. */
    public static PublishException ofNode(PublishException failure) {
        boolean isOfNode = failure.blame() == Blame.UNKNOWN
                && Causes.any(failure, e -> e instanceof LinkageError || e instanceof ServiceConfigurationError);
        return isOfNode ? new PublishException(Blame.DESTINATION, failure.getMessage(), failure) : failure;
    }
}
