package dev.cdioutbox.internal.operate;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxOperations;

/** The operations, which also tell how far they have come, for who has more to change than one transaction should. */
public interface PortionedOperations extends OutboxOperations {

    /** Does something to the oldest messages that a filter lets through: no more than its limit, nor many large ones at once. */
    Portion portion(Act act, OutboxFilter filter);

    @Override
    PortionedOperations outbox(String name);

    /**
     * @param changed how many messages were changed
     * @param last the highest sequence that was looked at, changed or not; null if no more follow
     */
    record Portion(int changed, Long last) {}
}
