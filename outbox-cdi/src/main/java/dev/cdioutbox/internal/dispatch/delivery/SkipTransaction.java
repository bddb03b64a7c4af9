package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;
import java.util.Set;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;

/** Delivers a follower of failed messages, and gives them up in the same transaction ({@link HeldMessages}). */
final class SkipTransaction extends SendTransaction {
    private static final Logger LOG = Logger.getLogger(SkipTransaction.class.getName());

    private final DeliveryContext context;
    private final UnsentTransaction unsent;
    private final List<Failure> held;
    /** Tells the listeners; does nothing unless the follower was sent. */
    private Runnable notification = () -> {};

    SkipTransaction(DeliveryContext context, UnsentTransaction unsent, List<Failure> held) {
        super(context);
        this.context = context;
        this.unsent = unsent;
        this.held = held;
    }

    @Override
    Attempt deliver(List<OutboxMessage> messages) {
        Attempt attempt = super.deliver(messages);
        switch (attempt.end()) {
            case SENT, FULL, COMMITTED_WITHOUT_BROKER -> notification.run();
            case COMMIT_IN_DOUBT, COMMIT_UNKNOWN -> held.forEach(this::logDoubt);
            default -> {}
        }
        return attempt;
    }

    @Override
    Set<Long> settleSent(Attempt sent) {
        Set<Long> discarded = super.settleSent(sent);
        notification = unsent.abandon(held);
        return discarded;
    }

    private void logDoubt(Failure failure) {
        OutboxMessage message = failure.message();
        LOG.warning(OutboxCode.SKIP_IN_DOUBT.text(
                context.id(), message.id(), message.sequence(), FailureReason.of(failure.cause())));
    }
}
