package dev.cdioutbox.internal.store.claim;

import java.util.List;

/**
 * Partitions of one destination with waiting messages.
 *
 * @param ids in the order of service
 * @param withDueBlockedKeys those of them that have a due blocked key
 * @param delayedAreDue whether delayed messages of the destination are due
 * @param foundLocked whether messages also wait in partitions that are locked, or above the limit
 */
record Partitions(List<Integer> ids, List<Integer> withDueBlockedKeys, boolean delayedAreDue, boolean foundLocked) {
    static final Partitions NONE = new Partitions(List.of(), List.of(), false, false);

    Partitions only(List<Integer> some) {
        return new Partitions(
                some,
                withDueBlockedKeys.stream().filter(some::contains).toList(),
                delayedAreDue,
                some.size() < ids.size());
    }
}
