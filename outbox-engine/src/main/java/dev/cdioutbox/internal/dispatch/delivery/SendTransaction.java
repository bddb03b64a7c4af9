package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.ownership.DestinationOwnership;
import dev.cdioutbox.internal.dispatch.publish.DeliveryProtocol;
import dev.cdioutbox.internal.store.settle.SentSettlement;
import dev.cdioutbox.spi.DestinationId;

/**
 * Sends messages and settles them, in one transaction or in two ({@link DeliveryProtocol}). If one of them fails, {@link
 * FailedTransaction} finds out how it ended.
 */
final class SendTransaction {
    private final DeliveryContext context;
    private final Environment environment;
    private final DestinationOwnership ownership;
    private final Runnable withSettlement;

    private Attempt attempt = Attempt.NOTHING;
    /** Whether only the commit is left of the transaction of the sends. */
    private boolean isReadyToCommit;

    SendTransaction(DeliveryContext context) {
        this(context, () -> {});
    }

    /** @param withSettlement what else the transaction of the settlement does; its failure rolls that back */
    SendTransaction(DeliveryContext context, Runnable withSettlement) {
        this.context = context;
        this.withSettlement = withSettlement;
        this.environment = context.environment();
        this.ownership = context.ownership();
    }

    /** Call it once, outside of a transaction. */
    Attempt deliver(List<OutboxMessage> messages) {
        long start = environment.nanoTime();
        Attempt end =
                switch (context.protocol()) {
                    case ONE_TRANSACTION -> inOne(messages);
                    case HANDLING -> inOne(messages).ofOneMessage();
                    case MARKER, TWO_TRANSACTIONS -> inTwo(messages);
                };
        if (end.end().mayCommit() && !end.sent().isEmpty()) {
            notifyListeners(Duration.ofNanos(environment.nanoTime() - start));
        }
        return end;
    }

    /**
     * The settlement comes after the sends, so that the broker's branch commits first. If the database's branch committed
     * first, its row locks would be free while the message is only prepared. A lost transaction log would then lose the message.
     */
    private Attempt inOne(List<OutboxMessage> messages) {
        try {
            environment.inNew(() -> {
                send(messages);
                settle();
                if (!attempt.discarded().isEmpty()) {
                    // The rollback keeps them from consumers: later messages of their keys could overtake them after a
                    // lost claim.
                    throw new IllegalStateException("an operator discarded messages while they were sent");
                }
                isReadyToCommit = true;
            });
        } catch (Exception e) {
            FailedTransaction failed = new FailedTransaction(context, attempt, e);
            return isReadyToCommit ? failed.atCommit() : failed.beforeCommit();
        }
        sentNow();
        return attempt;
    }

    private Attempt inTwo(List<OutboxMessage> messages) {
        try {
            environment.inNew(() -> {
                send(messages);
                isReadyToCommit = true;
            });
        } catch (Exception e) {
            FailedTransaction failed = new FailedTransaction(context, attempt, e);
            return isReadyToCommit ? failed.atCommitOfSends() : failed.beforeCommit();
        }
        sentNow();
        try {
            environment.inNew(this::settle);
        } catch (Exception e) {
            return attempt.ended(End.FAILED, e);
        }
        ownership.committed(!attempt.sent().isEmpty());
        return attempt;
    }

    private void send(List<OutboxMessage> messages) throws Exception {
        SendLoop loop = new SendLoop(
                environment,
                ownership.publisher(),
                ownership::open,
                context.claim().clock());
        attempt = loop.send(messages, environment.transactions().timeLeft());
        if (!attempt.end().mayCommit()) {
            throw attempt.failure();
        }
    }

    /** Settles what was sent, in the current transaction. Without a send, the broker has no transaction, and no number of a batch. */
    private void settle() {
        if (attempt.sent().isEmpty()) {
            return;
        }
        ownership.proveSent();
        SentSettlement settlement = new SentSettlement(
                attempt.sent().stream().map(OutboxMessage::sequence).toList(),
                context.config().retention(),
                ownership.publisher().mark(),
                attempt.brokerIds());
        attempt = attempt.withDiscarded(context.settlements().settleSent(settlement));
        withSettlement.run();
    }

    private void sentNow() {
        if (!attempt.sent().isEmpty()) {
            context.destination().lastDelivery().set(context.now());
        }
    }

    private void notifyListeners(Duration took) {
        List<OutboxMessage> sent = attempt.sent();
        DestinationId id = context.id();
        Instant now = context.now();
        environment.notifyEach(l -> ownership.publisher().report(l, sent, now, took));
        sent.stream()
                .filter(message -> attempt.discarded().contains(message.sequence()))
                .forEach(message -> environment.notifyEach(l -> l.discardedTooLate(id, message)));
    }
}
