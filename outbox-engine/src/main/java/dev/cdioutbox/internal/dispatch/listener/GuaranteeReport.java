package dev.cdioutbox.internal.dispatch.listener;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;

/**
 * The delivery guarantee of a destination on this node, for each kind of failure. docs/guarantees.md explains each, and
 * docs/evidence.md names the test that shows it.
 *
 * @param database the product and version of the database
 * @param broker the transport's own name
 * @param refusal the reason why exactly-once is not possible now, or null
 */
public record GuaranteeReport(
        Guarantee delivery,
        String database,
        String broker,
        String refusal,
        Promise processDeath,
        Promise hostDeath,
        Promise brokerDeath,
        Promise lostLog) {

    /**
     * The condition under which the probe proves XA: with {@code true}, Liberty's default, one resource without XA may
     * join a two-phase commit. Neither the probe nor JDBC shows this setting.
     */
    public static final String CONDITION = "acceptHeuristicHazard of <transaction> is false";

    /** Whether exactly-once is possible; at-least-once needs no proof. */
    public boolean proven() {
        return delivery == Guarantee.EXACTLY_ONCE && refusal == null;
    }

    /** Whether the proof has a {@link #CONDITION}: whether there was a probe. */
    public boolean isConditional() {
        return proven() && lostLog == Promise.WAITS_FOR_OPERATOR;
    }

    /** From the best to the worst. */
    public enum Promise {
        /** The failure has no effect. */
        UNAFFECTED,
        /** The same, if a handler uses the database of the outbox alone, which the outbox cannot see. */
        UNAFFECTED_WITH_ONE_RESOURCE,
        /** No loss, no duplicate, each key in order; messages in doubt wait for recovery. */
        EXACTLY_ONCE_IN_ORDER,
        /** The same, if the reference to the connection factory has a commit-priority, which the outbox cannot see. */
        EXACTLY_ONCE_IN_ORDER_BY_COMMIT_PRIORITY,
        /** No loss, no duplicate; messages after a batch in doubt may overtake it. */
        EXACTLY_ONCE,
        /** No loss; the batch in flight is sent again. */
        AT_LEAST_ONCE,
        /** The keys of messages in doubt wait for an operator's decision. */
        WAITS_FOR_OPERATOR,
        /** The last acknowledged messages may be lost, since the database does not force its writes to the disk. */
        MAY_LOSE_THE_LAST,
        /** The outbox sends nothing until exactly-once is proven. */
        NOTHING_SENT;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * @param mayLoseTheLast whether a crash of the database's host may take back the last commits
     * @param reference whether the outbox looks the connection factory up by a resource reference, which can have a
     *     commit-priority
     */
    public static GuaranteeReport of(
            Guarantee delivery, String database, boolean mayLoseTheLast, String broker, boolean reference) {
        boolean exactlyOnce = delivery == Guarantee.EXACTLY_ONCE;
        Promise processDeath = exactlyOnce ? Promise.EXACTLY_ONCE_IN_ORDER : Promise.AT_LEAST_ONCE;
        Promise oneTransaction = reference ? Promise.EXACTLY_ONCE_IN_ORDER_BY_COMMIT_PRIORITY : Promise.EXACTLY_ONCE;
        return new GuaranteeReport(
                delivery,
                database,
                broker,
                null,
                processDeath,
                mayLoseTheLast ? Promise.MAY_LOSE_THE_LAST : processDeath,
                exactlyOnce ? oneTransaction : Promise.AT_LEAST_ONCE,
                exactlyOnce ? Promise.WAITS_FOR_OPERATOR : Promise.UNAFFECTED);
    }

    /** The guarantee of a transport that writes markers: no log of the server and no prepared branch takes part. */
    public static GuaranteeReport byMarker(String database, boolean mayLoseTheLast, String broker) {
        Promise kept = Promise.EXACTLY_ONCE_IN_ORDER;
        Promise host = mayLoseTheLast ? Promise.MAY_LOSE_THE_LAST : kept;
        return new GuaranteeReport(
                Guarantee.EXACTLY_ONCE, database, broker, null, kept, host, kept, Promise.UNAFFECTED);
    }

    /**
     * The guarantee of a handler, which works in the transaction that settles its message. No broker takes part, and no log of the
     * server, unless the handler joins a second resource: then the transaction is XA, and the resource may be a broker.
     */
    public static GuaranteeReport byHandler(String database, boolean mayLoseTheLast, String handler) {
        Promise kept = Promise.EXACTLY_ONCE_IN_ORDER;
        Promise host = mayLoseTheLast ? Promise.MAY_LOSE_THE_LAST : kept;
        Promise others = Promise.UNAFFECTED_WITH_ONE_RESOURCE;
        return new GuaranteeReport(Guarantee.EXACTLY_ONCE, database, handler, null, kept, host, others, others);
    }

    /** The guarantee until the probe succeeds. */
    public static GuaranteeReport unproven(String database, String refusal) {
        Guarantee wanted = Guarantee.EXACTLY_ONCE;
        Promise none = Promise.NOTHING_SENT;
        return new GuaranteeReport(wanted, database, "unknown", refusal, none, none, none, none);
    }
}
