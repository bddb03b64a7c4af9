package dev.cdioutbox.internal.store;

import java.util.HashSet;
import java.util.Set;

/**
 * Which messages must wait because an earlier one of their key is not over. Messages are asked about in their order. A message
 * without a key has no followers. One thread uses it.
 */
public final class Followers {
    private final Set<String> waiting = new HashSet<>();

    /** From now on, the later messages of this key wait. */
    public void waitFor(String key) {
        if (key != null) {
            waiting.add(key);
        }
    }

    public boolean mustWait(String key) {
        return waiting.contains(key);
    }
}
