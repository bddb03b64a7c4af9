package dev.cdioutbox.internal.store;

import java.util.List;

import dev.cdioutbox.OutboxNode;

/**
 * The rows of dispatching processes, from which later processes learn of crashes. Each call is a transaction of its
 * own, apart from any JTA transaction. Thread-safe.
 */
public interface NodeRegistry {

    /** The rows of all processes of this application that have not stopped in order, this one included. */
    List<OutboxNode> nodes();

    /** Deletes the row of a process. */
    void deleteNode(String node);
}
