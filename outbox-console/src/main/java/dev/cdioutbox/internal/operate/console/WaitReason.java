package dev.cdioutbox.internal.operate.console;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.observe.DestinationState;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxNode;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.jspecify.annotations.Nullable;

/**
 * Explains why a message waits, or which messages wait for it, as far as this node knows: one sentence for operators.
 *
 * @param senders the nodes one of which sends the message now ({@link #senders})
 */
record WaitReason(
        SelectedOutbox selected,
        OutboxMessage message,
        @Nullable List<OutboxNode> senders,
        Disclosure disclosure) {
    private static final Set<OutboxStatus> WAITING = Set.of(OutboxStatus.PENDING, OutboxStatus.FAILED);

    static WaitReason of(SelectedOutbox selected, OutboxMessage message, Disclosure disclosure) {
        return new WaitReason(selected, message, senders(selected, message), disclosure);
    }

    /**
     * Nobody records who sends a message, since that would be a statement for each batch. But a delivery locks the row, and the
     * heartbeat of a node says whether it held partitions.
     *
     * @return the living nodes that held partitions at their last heartbeat; null if no delivery holds the message
     */
    private static @Nullable List<OutboxNode> senders(SelectedOutbox selected, OutboxMessage message) {
        if (!WAITING.contains(message.delivery().status()) || !isLocked(selected, message)) {
            return null;
        }
        return selected.operations().nodes().stream()
                .filter(node -> node.isAlive() && node.partitions() > 0)
                .toList();
    }

    /** @return empty if the message does not wait, and no message waits for it */
    Optional<String> reason() {
        if (message.delivery().status() == OutboxStatus.ABANDONED && message.orderingKey() != null) {
            return Optional.of(
                    selected.configFor(message).retry().blockOnAbandon()
                            ? "The later messages of its key wait until it is retried or discarded (outbox.retry.on-abandon is block)."
                            : "No message waits for it: the later messages of its key are sent (outbox.retry.on-abandon is skip).");
        }
        return WAITING.contains(message.delivery().status()) ? Optional.of(sentence()) : Optional.empty();
    }

    private String sentence() {
        if (senders != null) {
            return "A delivery%s holds it: it is being sent at this moment, or the broker does not answer, or the outcome is in"
                            .formatted(ofSenders())
                    + " doubt until the transaction manager has ended it.";
        }
        OutboxBacklog backlog = selected.operations().status();
        if (backlog.isPaused(message.delivery().destination())) {
            return "Its destination is paused.";
        }
        if (selected.isIdle(selected.operations().nodes())) {
            return selected.isOffHere()
                    ? "No node dispatches: the dispatcher of the only node is switched off (outbox.dispatcher.enabled)."
                    : "No node dispatches.";
        }
        if (message.terms().notBefore() != null && message.terms().notBefore().isAfter(backlog.readAt())) {
            return "It waits for its time: see “Not before”.";
        }
        if (message.delivery().status() == OutboxStatus.FAILED) {
            return "It has failed %s of at most %s times. It is tried again after its delay. The last error: %s"
                    .formatted(
                            message.delivery().attempts(),
                            selected.configFor(message).retry().maxAttempts(),
                            disclosure.error(message.delivery().lastError()));
        }
        return inFront()
                .map(first -> "It waits behind %s of the same key, which %s."
                        .formatted(
                                disclosure.inFront(first),
                                first.delivery().status() == OutboxStatus.FAILED
                                        ? "failed and will be tried again"
                                        : "is abandoned and blocks the key (outbox.retry.on-abandon)"))
                .orElseGet(() -> whyDue());
    }

    private String whyDue() {
        String destination = message.delivery().destination();
        if (!selected.config().destinations().containsKey(destination)) {
            return "The node that answers has no such destination configured, and sends nothing there"
                    + " (outbox.destinations.%s.jndi).".formatted(destination);
        }
        if (!selected.configFor(message).dispatcher().enabled()) {
            return "It is due. The dispatcher of the node that answers is switched off (outbox.dispatcher.enabled, or"
                    + " outbox.destinations.%s.dispatcher.enabled): another one has to send it.".formatted(destination);
        }
        String problem = selected.gauges().storeProblem(selected.outbox().name());
        if (problem != null) {
            return "The tables have a problem: " + disclosure.error(problem);
        }
        DestinationState state = selected.gauges().destination(selected.destinationId(message));
        if (state.isSilent()) {
            // In minutes, so that screen readers do not announce a change each second.
            return "It is due. A delivery to its destination has waited for the broker or the database to answer for more than %s min."
                    .formatted(state.silence().toMinutes());
        }
        DestinationState.Failure failure = state.lastFailure();
        if (failure != null) {
            return "Its destination fails: " + disclosure.error(failure.reason()) + ".";
        }
        if (state.isHeldBack()) {
            int rate = selected.configFor(message).dispatcher().rate();
            return "It is due, and waits for its turn: its destination gets at most %s a second from each node (%s)."
                    .formatted(rate == 1 ? "one message" : rate + " messages", "outbox.dispatcher.rate");
        }
        return message.orderingKey() != null && state.inDoubt() > 0
                ? "It waits for its turn, or behind a message of the same key in doubt: its destination has messages in doubt."
                : "It is due, and waits for its turn.";
    }

    private String ofSenders() {
        String nodes = senders.stream()
                .map(node -> node.server() + " on " + node.host())
                .collect(Collectors.joining(", "));
        return switch (senders.size()) {
            case 0 -> "";
            case 1 -> " of " + nodes;
            default -> " of one of " + nodes;
        };
    }

    private static boolean isLocked(SelectedOutbox selected, OutboxMessage message) {
        return selected.outbox()
                .store()
                .pendingRows()
                .lockable(List.of(message.sequence()))
                .isEmpty();
    }

    /** The failed or abandoned message that holds the key back. */
    private Optional<OutboxMessage> inFront() {
        if (message.orderingKey() == null) {
            return Optional.empty();
        }
        OutboxFilter before = OutboxFilter.all()
                .withKey(message.orderingKey())
                .withDestination(message.delivery().destination());
        OutboxFilter blocking = selected.configFor(message).retry().blockOnAbandon()
                ? before.withStatus(OutboxStatus.FAILED, OutboxStatus.ABANDONED)
                : before.withStatus(OutboxStatus.FAILED);
        return selected.operations().find(blocking, OutboxPageRequest.of(1).withBefore(message.sequence())).stream()
                .findFirst();
    }
}
