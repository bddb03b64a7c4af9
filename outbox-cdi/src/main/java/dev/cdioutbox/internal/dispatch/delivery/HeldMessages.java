package dev.cdioutbox.internal.dispatch.delivery;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.delivery.BatchOutcome.State;

/**
 * The failed messages of a batch that have no attempt left, although their destination is not known to work ({@link
 * AbandonPolicy}). If everything else of a destination follows them, it would stand for ever. So the next follower of each is
 * sent: its delivery shows that the destination works, and its transaction gives the messages before it up. A follower without an
 * attempt left that is refused is held as well.
 */
final class HeldMessages {
    private final BatchOutcome outcome;
    private final UnsentTransaction unsent;
    private final Set<Long> tried = new HashSet<>();

    HeldMessages(BatchOutcome outcome, UnsentTransaction unsent) {
        this.outcome = outcome;
        this.unsent = unsent;
    }

    /** The next follower to send, which was not tried yet; null if there is none. */
    OutboxMessage next(List<OutboxMessage> batch) {
        // Again each time: a delivery is a proof for all of them.
        List<Failure> unproven = outcome.chargeable().stream()
                .filter(failure -> failure.message().orderingKey() != null && unsent.mustHold(failure))
                .toList();
        unproven.forEach(outcome::held);
        Set<String> keys = unproven.stream()
                .map(failure -> failure.message().orderingKey())
                .collect(Collectors.toSet());
        return outcome.sendable(batch).stream()
                .filter(message -> keys.contains(message.orderingKey()))
                .filter(message -> tried.add(message.sequence()))
                .findFirst()
                .orElse(null);
    }

    /** The messages that are given up if this follower is delivered. */
    List<Failure> before(OutboxMessage follower) {
        return outcome.chargeable().stream()
                .filter(failure -> outcome.of(failure.message()) == State.HELD)
                .filter(failure -> failure.message().orderingKey().equals(follower.orderingKey()))
                .toList();
    }
}
