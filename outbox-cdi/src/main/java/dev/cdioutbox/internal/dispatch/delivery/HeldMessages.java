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
    private final ChargeTransaction charges;
    private final Set<Long> tried = new HashSet<>();

    /**
     * A follower to send, and what its transaction gives up.
     *
     * @param held the failed messages before it
     */
    record Skip(OutboxMessage follower, List<Failure> held) {
        /** A delivery that gives nothing up. */
        static final Skip NONE = new Skip(null, List.of());
    }

    HeldMessages(BatchOutcome outcome, ChargeTransaction charges) {
        this.outcome = outcome;
        this.charges = charges;
    }

    /** The next follower to send, which was not tried yet; null if there is none. */
    Skip next(List<OutboxMessage> batch) {
        // Again each time: a delivery is a proof for all of them.
        List<Failure> unproven = outcome.chargeable().stream()
                .filter(failure -> failure.message().orderingKey() != null && charges.mustHold(failure))
                .toList();
        unproven.forEach(outcome::held);
        Set<String> keys = unproven.stream()
                .map(failure -> failure.message().orderingKey())
                .collect(Collectors.toSet());
        return outcome.sendable(batch).stream()
                .filter(message -> keys.contains(message.orderingKey()) && !tried.contains(message.sequence()))
                .findFirst()
                .map(this::before)
                .orElse(null);
    }

    private Skip before(OutboxMessage follower) {
        tried.add(follower.sequence());
        List<Failure> held = outcome.chargeable().stream()
                .filter(failure -> outcome.of(failure.message()) == State.HELD)
                .filter(failure -> failure.message().orderingKey().equals(follower.orderingKey()))
                .toList();
        return new Skip(follower, held);
    }
}
