package dev.cdioutbox.internal.store;

import java.util.Set;

/**
 * The changes that operators made to claimed messages before the settlement. A claim does not lock messages.
 *
 * @param discarded messages that were sent although an operator had discarded them; settled as published
 * @param leftUnchanged messages that were not sent and keep the operator's change
 */
public record SettlementResult(Set<Long> discarded, Set<Long> leftUnchanged) {
    public static final SettlementResult AS_CLAIMED = new SettlementResult(Set.of(), Set.of());

    public SettlementResult {
        discarded = Set.copyOf(discarded);
        leftUnchanged = Set.copyOf(leftUnchanged);
    }
}
