package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;
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
    private Runnable notification = () -> {};

    SkipTransaction(DeliveryContext context, UnsentTransaction unsent, List<Failure> held) {
        super(context);
        this.context = context;
        this.unsent = unsent;
        this.held = held;
    }

    @Override
    void settleMore() {
        notification = unsent.abandon(held);
    }

    @Override
    void afterCommit() {
        notification.run();
    }

    @Override
    void afterCommitInDoubt() {
        for (Failure failure : held) {
            OutboxMessage message = failure.message();
            LOG.warning(OutboxCode.SKIP_IN_DOUBT.text(
                    context.label(), message.id(), message.sequence(), FailureReason.of(failure.cause())));
        }
    }
}
