package dev.cdioutbox.internal.operate.console;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.OutboxStatus;

/** Why a message is not sent yet, in a sentence for who asks, as far as this node can tell. */
final class WhyItWaits {
    private static final Set<OutboxStatus> WAITS = Set.of(OutboxStatus.PENDING, OutboxStatus.FAILED);

    private final Desk desk;
    private final OutboxMessage message;
    private final Trouble trouble;

    /** @param trouble of its destination; null if there is none */
    WhyItWaits(Desk desk, OutboxMessage message, Trouble trouble) {
        this.desk = desk;
        this.message = message;
        this.trouble = trouble;
    }

    /** @return empty if it does not wait */
    Optional<String> reason() {
        return WAITS.contains(message.delivery().status()) ? Optional.of(sentence()) : Optional.empty();
    }

    private String sentence() {
        if (isHeld()) {
            return "A delivery holds it: it is being sent at this moment, or the broker does not answer, or the outcome is in"
                    + " doubt until the transaction manager has ended it.";
        }
        OutboxBacklog backlog = desk.operations().status();
        if (backlog.paused().contains(OutboxBacklog.ALL)
                || backlog.paused().contains(message.delivery().destination())) {
            return "Its destination is paused.";
        }
        if (desk.operations().nodes().stream().noneMatch(OutboxNode::isAlive)) {
            return "No node dispatches.";
        }
        if (message.terms().notBefore() != null && message.terms().notBefore().isAfter(backlog.readAt())) {
            return "Its time has not come: see “Not before”.";
        }
        if (message.delivery().status() == OutboxStatus.FAILED) {
            return "It failed, and is tried again when its delay is over.";
        }
        return inFront()
                .map(first -> "It waits behind sequence %d of the same key, which %s."
                        .formatted(
                                first.sequence(),
                                first.delivery().status() == OutboxStatus.FAILED
                                        ? "failed and will be tried again"
                                        : "is abandoned and blocks the key (outbox.retry.on-abandon)"))
                .orElseGet(this::due);
    }

    private String due() {
        if (!desk.config().dispatcher().enabled()) {
            return "It is due. The dispatcher of the node that answers is switched off (outbox.dispatcher.enabled): another one"
                    + " has to send it.";
        }
        return trouble == null
                ? "It is due, and waits for its turn."
                : "Its destination fails: " + trouble.reason() + ".";
    }

    /** With leases no row is held; the partition is. */
    private boolean isHeld() {
        return desk.config().dispatcher().lease() == null
                && desk.outbox().store().lockable(List.of(message.sequence())).isEmpty();
    }

    /** What its key waits for. */
    private Optional<OutboxMessage> inFront() {
        if (message.orderingKey() == null) {
            return Optional.empty();
        }
        OutboxFilter before = OutboxFilter.all()
                .withKey(message.orderingKey())
                .withDestination(message.delivery().destination())
                .withBeforeSequence(message.sequence())
                .withStatus(
                        desk.config().retry().blockOnAbandon()
                                ? new OutboxStatus[] {OutboxStatus.FAILED, OutboxStatus.ABANDONED}
                                : new OutboxStatus[] {OutboxStatus.FAILED});
        return desk.operations().find(before.withLimit(1)).stream().findFirst();
    }
}
