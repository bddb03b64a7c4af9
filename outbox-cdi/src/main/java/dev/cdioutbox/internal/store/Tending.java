package dev.cdioutbox.internal.store;

import java.util.HashSet;
import java.util.Set;

/** What a claim met that it has to put in order before it, or another one, can go on. Belongs to one claim. */
final class Tending {
    /** Gates that are due and have nothing behind them. */
    final Set<Long> empty = new HashSet<>();

    /** Gates that are due though the first message behind them is not. */
    final Set<Long> early = new HashSet<>();

    /** Partitions with messages that belong behind the gate of their key. */
    final Set<Integer> crowded = new HashSet<>();

    /** Those of them of which nothing could be moved, since others hold it. */
    final Set<Integer> uncleared = new HashSet<>();

    /** Those of them of which something was moved. */
    Set<Integer> cleared() {
        Set<Integer> cleared = new HashSet<>(crowded);
        cleared.removeAll(uncleared);
        return cleared;
    }

    boolean isEmpty() {
        return empty.isEmpty() && early.isEmpty() && crowded.isEmpty();
    }
}
