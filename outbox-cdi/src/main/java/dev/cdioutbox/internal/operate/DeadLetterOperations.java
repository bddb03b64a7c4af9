package dev.cdioutbox.internal.operate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.deadletter.DeadLetter;
import dev.cdioutbox.internal.deadletter.DeadLetterFilter;
import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.deadletter.DeadLetterQueues;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.observe.Gauges.DeadLetterCount;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import org.jspecify.annotations.Nullable;

/**
 * Finds dead letters of consumers, sends them back to their queues, and discards them. A change and its audit entry are
 * one transaction.
 */
@ApplicationScoped
public class DeadLetterOperations {
    private static final Logger LOG = Logger.getLogger(DeadLetterOperations.class.getName());

    @Inject
    Instance<DeadLetterQueues> queues;

    @Inject
    TransactionalOperations operations;

    @Inject
    Gauges gauges;

    /** Looks at each queue of an outbox, because no broker tells that it has put a message aside. */
    public void look(OutboxInstance outbox) {
        outbox.config().current().console().deadLetters().values().forEach(this::look);
    }

    private void look(DeadLetterQueue queue) {
        DeadLetterCount found;
        try {
            int letters = count(queue, new DeadLetterFilter(null, null, null), DeadLetterCount.MOST);
            String number = letters < DeadLetterCount.MOST ? String.valueOf(letters) : letters + " or more";
            Finding finding = letters == 0 ? null : OutboxCode.DEAD_LETTERS_WAIT.finding(number, queue.label());
            found = new DeadLetterCount(letters, finding);
        } catch (RuntimeException e) {
            String reason = FailureReason.of(e);
            Finding unknown = OutboxCode.DEAD_LETTERS_UNAVAILABLE.finding(queue.label(), reason, queue.key());
            found = new DeadLetterCount(null, Finding.of(reason, unknown));
        }
        if (gauges.deadLettersCounted(queue, found).filter(found::isMoreThan).isPresent()) {
            LOG.warning(found.finding().toString());
        }
    }

    /** @see DeadLetterQueues#browse */
    public List<DeadLetter> browse(
            OutboxInstance outbox, DeadLetterQueue queue, DeadLetterFilter filter, int skip, int limit) {
        return queues.get().browse(queue, filter, skip, limit, sentTo(outbox, queue));
    }

    /** @see DeadLetterQueues#count */
    public int count(DeadLetterQueue queue, DeadLetterFilter filter, int most) {
        return queues.get().count(queue, filter, most);
    }

    /**
     * Sends back, or discards, one batch. A letter that cannot be sent back stays in the queue.
     *
     * @param skip the letters at the head of the queue that an earlier batch has left there
     */
    @Transactional
    public DeadLetterBatch take(
            OutboxInstance outbox,
            DeadLetterQueue queue,
            DeadLetterFilter filter,
            int skip,
            int limit,
            boolean sendBack) {
        List<DeadLetter> found = browse(outbox, queue, filter, skip, limit);
        // Takes exactly these: after a rollback Liberty counts a delivery, and it would forget where they came from.
        DeadLetterQueues.Batch batch = queues.get().take(queue, found, sendBack);
        operations
                .outbox(outbox.name())
                .audit(
                        sendBack ? "send-back" : "discard-dead-letters",
                        AuditSubject.of(queue.name(), filter),
                        batch.taken().size(),
                        batch.taken().stream()
                                .map(DeadLetter::messageId)
                                .filter(Objects::nonNull)
                                .map(outbox.store().operations()::sequence)
                                .filter(Objects::nonNull)
                                .toList());
        List<String> why = why(batch.left(), queue);
        why.forEach(LOG::warning);
        return new DeadLetterBatch(
                batch.taken().size(),
                found.size() == limit ? (long) skip + batch.left().size() : null,
                why.isEmpty() ? null : String.join(" ", why));
    }

    /** Why letters stay in the queue; empty if none does. */
    private static List<String> why(List<DeadLetter> left, DeadLetterQueue queue) {
        Map<Boolean, Long> byId =
                left.stream().collect(Collectors.partitioningBy(letter -> letter.id() != null, Collectors.counting()));
        List<String> why = new ArrayList<>();
        if (byId.get(true) > 0) {
            why.add(OutboxCode.NOT_SENT_BACK.text(byId.get(true), queue.label()));
        }
        if (byId.get(false) > 0) {
            why.add(OutboxCode.DEAD_LETTERS_WITHOUT_ID.text(byId.get(false), queue.label()));
        }
        return why;
    }

    /** A topic cannot be asked to reach only the consumer that failed. */
    private static UnaryOperator<String> sentTo(OutboxInstance outbox, DeadLetterQueue queue) {
        return id -> outbox.store()
                .finder()
                .find(id)
                .map(message -> outbox.config()
                        .current()
                        .destinations()
                        .get(message.delivery().destination()))
                .filter(destination -> queue.connectionFactory().equals(destination.connectionFactory()))
                .map(DestinationConfig::address)
                .orElse(null);
    }

    /**
     * The result of a batch. Public, as JSON-B needs it.
     *
     * @param after the letters at the head of the queue that stay there, for the next batch; null if no more follow
     * @param left why letters stay in the queue; null if none does
     */
    public record DeadLetterBatch(
            int changed, @Nullable Long after, @Nullable String left) {}
}
