package dev.cdioutbox.internal.store;

import java.util.List;

/**
 * What processes that dispatch tell those that come after them. Each call is a transaction of its own, apart from the caller's
 * connections and from any JTA transaction. Thread-safe.
 */
public interface NodeRegistry {

    /** Of all processes of this application that have not stopped in order, this one included. */
    List<NodeRow> nodeRows();

    /**
     * Notes that a message is sent alone from now on, so that it is known should the process die.
     *
     * @param sequence null if none is any more
     */
    void recordSending(NodeIdentity node, Long sequence);

    /** Takes a process's row away. */
    void deleteNode(String node);
}
