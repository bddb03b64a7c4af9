package dev.cdioutbox.internal.operate.console;

import java.time.Duration;
import java.time.Instant;

import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.observe.DestinationState;
import dev.cdioutbox.internal.store.operate.BacklogReader.Waiting;
import dev.cdioutbox.operate.OutboxBackfill;
import org.jspecify.annotations.Nullable;

/**
 * A destination for the page. A value that this node does not know is null. Public, as JSON-B needs it.
 *
 * @param address the JNDI name of the queue or topic, or the Kafka topic
 * @param guarantee the last guarantee that this node reported; null if it has not delivered there since its start
 * @param proven false while the node sends nothing because exactly-once is not possible; null without a report
 * @param promises what that guarantee means; null without a report
 * @param waiting pending and failed messages
 * @param capped whether counting stopped at the limit, so that there may be more waiting messages
 * @param oldest the time since which the oldest of them has been due; null if none is due
 * @param failure the failure of this node's last run; null if it succeeded
 * @param silentSeconds the time that a thread has waited for an answer, if it is {@linkplain DestinationState#isSilent()
 *     long}; else null
 * @param heldBackTo the messages per second to which its rate holds this node back now; null if it does not
 * @param inDoubt the messages whose transaction is in doubt for long; null if there are none
 * @param backfill the last one; null if there was none
 */
public record DestinationView(
        String address,
        @Nullable String guarantee,
        @Nullable Boolean proven,
        @Nullable Promises promises,
        int waiting,
        boolean capped,
        @Nullable Instant oldest,
        DestinationState.@Nullable Failure failure,
        @Nullable Long silentSeconds,
        @Nullable Integer heldBackTo,
        @Nullable InDoubt inDoubt,
        @Nullable OutboxBackfill backfill) {
    /** Recovery usually resolves a shorter doubt without an operator. */
    private static final Duration DOUBTFUL_AFTER = Duration.ofMinutes(1);

    static DestinationView of(
            SelectedOutbox selected,
            String name,
            Waiting waiting,
            @Nullable Instant oldest,
            @Nullable OutboxBackfill backfill,
            Disclosure disclosure) {
        DestinationState state = selected.gauges().destination(selected.outbox().destinationId(name));
        GuaranteeReport guarantee = state.guarantee();
        long doubtful = (long) state.inDoubtSeconds();
        return new DestinationView(
                selected.config().destinations().get(name).address(),
                guarantee == null ? null : guarantee.delivery().toString(),
                guarantee == null ? null : (Boolean) (guarantee.refusal() == null),
                guarantee == null ? null : Promises.of(guarantee),
                waiting.messages(),
                waiting.isCapped(),
                oldest,
                disclosure.failure(state.lastFailure()),
                state.isSilent() ? (Long) state.silence().toSeconds() : null,
                state.isHeldBack() ? selected.config().of(name).dispatcher().rate() : null,
                doubtful < DOUBTFUL_AFTER.toSeconds()
                        ? null
                        : new InDoubt(
                                state.inDoubt(), doubtful, state.keysInDoubt().followers()),
                backfill);
    }

    /**
     * What becomes of messages in each kind of failure, in the words of docs/guarantees.md.
     *
     * @param condition without which the first three are not proven; null if there is none
     */
    public record Promises(
            String processDeath,
            String hostDeath,
            String brokerDeath,
            String lostLog,
            @Nullable String condition) {
        private static Promises of(GuaranteeReport given) {
            return new Promises(
                    given.processDeath().toString(),
                    given.hostDeath().toString(),
                    given.brokerDeath().toString(),
                    given.lostLog().toString(),
                    given.isConditional() ? GuaranteeReport.CONDITION : null);
        }
    }

    /**
     * Messages in doubt.
     *
     * @param seconds the time since this node found the first of them
     * @param followers the later messages of their keys, as far as they were counted
     */
    public record InDoubt(int messages, long seconds, int followers) {}
}
