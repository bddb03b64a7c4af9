package dev.cdioutbox.internal.dispatch.listener;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;

/**
 * The delivery guarantee of a destination on this node, for each kind of failure. docs/guarantees.md has it as a table,
 * with the test for each cell.
 *
 * @param destination its label
 * @param proven whether a two-branch transaction was seen to commit; at-least-once needs none
 * @param database product and version
 * @param broker the transport's own name
 * @param refusal why exactly-once is not possible now, or null
 */
public record GuaranteeReport(
        String destination,
        Guarantee delivery,
        boolean proven,
        String database,
        String broker,
        String refusal,
        Promise processDeath,
        Promise hostDeath,
        Promise brokerDeath,
        Promise lostLog) {

    /** From the best to the worst. */
    public enum Promise {
        /** Does not matter. */
        UNAFFECTED,
        /** Nothing lost, nothing twice, and each key in order; what is in doubt waits for recovery. */
        EXACTLY_ONCE_IN_ORDER,
        /** As above, if the reference to the connection factory has a commit-priority, which the outbox cannot see. */
        EXACTLY_ONCE_IN_ORDER_BY_COMMIT_PRIORITY,
        /** Nothing lost, nothing twice; what follows a batch in doubt may be there first. */
        EXACTLY_ONCE,
        /** Nothing lost; the batch in flight is sent again. */
        AT_LEAST_ONCE,
        /** The keys of what was in doubt wait for an operator's decision. */
        WAITS_FOR_OPERATOR,
        /** What was acknowledged last may be gone, since the database does not force its writes to the disk. */
        MAY_LOSE_THE_LAST,
        /** Nothing is sent until exactly-once is proven. */
        NOTHING_SENT;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * @param reference whether the connection factory is found by a resource reference, which can have a commit-priority
     */
    public static GuaranteeReport of(
            String destination, Guarantee delivery, String database, String broker, boolean reference) {
        Promise host = database.startsWith("H2") ? Promise.MAY_LOSE_THE_LAST : null;
        return switch (delivery) {
            case EXACTLY_ONCE ->
                new GuaranteeReport(
                        destination,
                        delivery,
                        true,
                        database,
                        broker,
                        null,
                        Promise.EXACTLY_ONCE_IN_ORDER,
                        host == null ? Promise.EXACTLY_ONCE_IN_ORDER : host,
                        reference ? Promise.EXACTLY_ONCE_IN_ORDER_BY_COMMIT_PRIORITY : Promise.EXACTLY_ONCE,
                        Promise.WAITS_FOR_OPERATOR);
            case AT_LEAST_ONCE ->
                new GuaranteeReport(
                        destination,
                        delivery,
                        false,
                        database,
                        broker,
                        null,
                        Promise.AT_LEAST_ONCE,
                        host == null ? Promise.AT_LEAST_ONCE : host,
                        Promise.AT_LEAST_ONCE,
                        Promise.UNAFFECTED);
        };
    }

    /** Until the probe succeeds. */
    public static GuaranteeReport unproven(String destination, String database, String refusal) {
        return new GuaranteeReport(
                destination,
                Guarantee.EXACTLY_ONCE,
                false,
                database,
                "unknown",
                refusal,
                Promise.NOTHING_SENT,
                Promise.NOTHING_SENT,
                Promise.NOTHING_SENT,
                Promise.NOTHING_SENT);
    }
}
