package dev.cdioutbox.internal.store;

import java.util.List;

import dev.cdioutbox.OutboxNode;

/**
 * The rows of dispatching processes, which show crashes to later processes. Each call is a separate transaction outside
 * of JTA. Thread-safe.
 */
public interface NodeRegistry {

    /** The rows of all processes of this application without an orderly stop, including this one. */
    List<OutboxNode> nodes();

    /** Deletes the row of a process. */
    void deleteNode(String node);
}
