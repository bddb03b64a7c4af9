package dev.cdioutbox.internal.store;

import java.util.Set;

/**
 * What an operator had done, by the time of the settling, to messages that were claimed before: no claim keeps him from them.
 *
 * @param discarded what was sent all the same; it is marked as published, which it is if this commits
 * @param left what was not sent, and is left as he wants it: discarded, or with all of its attempts before it
 */
public record Settled(Set<Long> discarded, Set<Long> left) {
    public static final Settled AS_CLAIMED = new Settled(Set.of(), Set.of());

    public Settled {
        discarded = Set.copyOf(discarded);
        left = Set.copyOf(left);
    }
}
