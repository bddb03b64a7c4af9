package dev.cdioutbox.internal.dispatch.delivery;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.delivery.BatchOutcome.State;

/**
 * The messages of a batch that are <i>held</i>: their last attempt has failed, but they are not given up, because the destination
 * may be at fault. A destination with a fault that no probe shows, such as a codec that is missing on this node, would otherwise
 * lose all of its messages, one after the other.
 *
 * <p>{@link AbandonPolicy} decides which messages are held. How it goes on depends on whether another message is delivered:
 *
 * <pre>
 * the last attempt of a message fails
 *   │
 *   ├─ a later message was delivered: the destination works ───► the message is given up
 *   │
 *   └─ none was: the message is HELD
 *        │
 *        ├─ without a key: other messages pass it anyway ──────► stays held
 *        │
 *        └─ with a key: its next follower is sent, alone
 *             ├─ delivered ────────────────────────────────────► given up, in the follower's transaction
 *             ├─ in doubt ─────────────────────────────────────► in doubt as well
 *             ├─ refused, with attempts left ──────────────────► both wait for the next batch
 *             └─ refused, and that was its last one as well ───► held, and the follower after it is sent
 *
 * held at the end of the batch:  not charged, tried again after the longest delay ({@link RetryPolicy}),
 *                                or together with the message that has failed behind it, after its backoff,
 *                                and DESTINATION_FAILING is reported until a delivery succeeds
 * </pre>
 *
 * <p>The follower has to be sent, because nothing else of a destination with one key could show that it works. Both happen in one
 * transaction, because otherwise a crash between them would leave a follower delivered before a message that may be tried again.
 * A message that blocks its key once it is given up is never held, because no other message passes it.
 *
 * <p>One thread uses it, for one batch.
 */
final class HeldMessages {
    private static final Logger LOG = Logger.getLogger(HeldMessages.class.getName());

    private final DeliveryContext context;
    private final BatchOutcome outcome;
    private final UnsentTransaction unsent;
    /** The followers that were sent, by sequence. */
    private final Set<Long> tried = new HashSet<>();

    HeldMessages(DeliveryContext context, BatchOutcome outcome, UnsentTransaction unsent) {
        this.context = context;
        this.outcome = outcome;
        this.unsent = unsent;
    }

    /** Holds what must be held now, and returns the next follower to send, each only once. */
    Optional<OutboxMessage> nextFollower(List<OutboxMessage> batch) {
        // Asks about each message again: a delivery since the last call proves for all of them that the destination
        // works.
        List<Failure> held = outcome.chargeable().stream()
                .filter(failure -> failure.message().orderingKey() != null && unsent.mustHold(failure))
                .toList();
        held.forEach(outcome::held);
        Set<String> keys =
                held.stream().map(failure -> failure.message().orderingKey()).collect(Collectors.toSet());
        Optional<OutboxMessage> next = outcome.sendable(batch).stream()
                .filter(message -> keys.contains(message.orderingKey()) && !tried.contains(message.sequence()))
                .findFirst();
        next.ifPresent(message -> tried.add(message.sequence()));
        return next;
    }

    /** Sends a follower, and gives up in its transaction what is held before it. */
    Attempt send(OutboxMessage follower) {
        List<Failure> held = before(follower);
        AtomicReference<Runnable> notification = new AtomicReference<>(() -> {});
        Attempt attempt =
                new SendTransaction(context, () -> notification.set(unsent.abandon(held))).deliver(List.of(follower));
        if (attempt.sent().isEmpty()) {
            return attempt;
        }
        outcome.addSkipped(held, attempt.end());
        switch (attempt.end()) {
            case SENT, FULL, COMMITTED_WITHOUT_BROKER -> notification.get().run();
            case COMMIT_IN_DOUBT, COMMIT_UNKNOWN -> held.forEach(this::logDoubt);
            default -> {}
        }
        return attempt;
    }

    private List<Failure> before(OutboxMessage follower) {
        return outcome.chargeable().stream()
                .filter(failure -> outcome.of(failure.message()) == State.HELD)
                .filter(failure -> failure.message().orderingKey().equals(follower.orderingKey()))
                .toList();
    }

    private void logDoubt(Failure failure) {
        OutboxMessage message = failure.message();
        LOG.warning(OutboxCode.SKIP_IN_DOUBT.text(
                context.id(), message.id(), message.sequence(), FailureReason.of(failure.cause())));
    }
}
