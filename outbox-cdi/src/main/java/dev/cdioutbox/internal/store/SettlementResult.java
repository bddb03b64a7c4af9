package dev.cdioutbox.internal.store;

import java.util.Set;

/**
 * What an operator had done, by the time of the settling, to messages that were claimed before: no claim keeps him from them.
 *
 * @param discarded what was sent all the same; it is marked as published, which it is if this commits
 * @param left what was not sent, and is left as he wants it: discarded, or with all of its attempts before it
 */
public record SettlementResult(Set<Long> discarded, Set<Long> leftUnchanged) {
    public static final SettlementResult AS_CLAIMED = new SettlementResult(Set.of(), Set.of());

    public SettlementResult {
        discarded = Set.copyOf(discarded);
        leftUnchanged = Set.copyOf(leftUnchanged);
    }
}
