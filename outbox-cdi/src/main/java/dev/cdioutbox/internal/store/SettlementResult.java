package dev.cdioutbox.internal.store;

import java.util.Set;

/**
 * The changes that operators made to claimed messages before the settlement. A claim does not lock messages.
 *
 * @param discarded messages that an operator had discarded before the send ended; the settlement marks them as
 *     published
 * @param leftUnchanged unsent messages that keep the operator's change
 */
public record SettlementResult(Set<Long> discarded, Set<Long> leftUnchanged) {}
