package dev.cdioutbox.internal.observe;

import java.util.List;

import dev.cdioutbox.internal.store.MessageReference;

/** Receives notifications about operations, after their commit. */
public interface OperationListener {

    /**
     * An operator changed messages.
     *
     * @param action the result for these messages, as the log names it
     * @param messages the messages before the change
     */
    default void changed(String action, String who, List<MessageReference> messages) {}
}
