package dev.cdioutbox.internal.observe;

import java.util.List;

import dev.cdioutbox.internal.store.MessageReference;

/** Observes operators. Called after the commit. */
public interface OperationListener {

    /**
     * An operator changed messages.
     *
     * @param action what became of them, as the log names it
     * @param messages as they were before
     */
    default void changed(String action, String who, List<MessageReference> messages) {}
}
