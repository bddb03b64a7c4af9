package dev.cdioutbox.internal.store;

import java.util.List;

/**
 * What processes that dispatch tell those that come after them. Each call is a transaction of its own, apart from the caller's
 * connections and from any JTA transaction. Thread-safe.
 */
public interface NodeRegister {

    /** Of all processes of this application that have not stopped in order, this one included. */
    List<NodeTrace> traces();

    /**
     * Notes that a message is sent alone from now on, so that it is known should the process die.
     *
     * @param sequence null if none is any more
     */
    void sending(NodeIdentity node, Long sequence);

    /** Takes a process's row away. */
    void forget(String node);
}
