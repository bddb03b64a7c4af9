package dev.cdioutbox.internal.store.claim;

import java.util.HashSet;
import java.util.Set;

/** The rows that a delivery in doubt locks, and their keys, which wait for its outcome. Belongs to one claim. */
final class InDoubtRows {
    private final Set<Long> sequences = new HashSet<>();
    private final Set<String> keys = new HashSet<>();

    /** @param key may be null */
    void add(long sequence, String key) {
        sequences.add(sequence);
        if (key != null) {
            keys.add(key);
        }
    }

    /** Whether the row is in doubt, or follows a row in doubt of the same key. */
    boolean includes(long sequence, String key) {
        return sequences.contains(sequence) || (key != null && keys.contains(key));
    }

    /** Whether a message of the key is in doubt. */
    boolean includes(String key) {
        return keys.contains(key);
    }

    int keys() {
        return keys.size();
    }
}
