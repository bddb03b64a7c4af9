package dev.cdioutbox.internal.store;

import java.util.List;

/**
 * The rows of dispatching processes, from which later processes learn of crashes. Each call is a transaction of its
 * own, apart from any JTA transaction. Thread-safe.
 */
public interface NodeRegistry {

    /** The rows of all processes of this application that have not stopped in order, this one included. */
    List<NodeRow> nodeRows();

    /**
     * Records the message that this process sends singly from now on, for the case that the process crashes.
     *
     * @param sequence null if there is none any more
     */
    void recordSending(NodeIdentity node, Long sequence);

    /** Deletes the row of a process. */
    void deleteNode(String node);
}
