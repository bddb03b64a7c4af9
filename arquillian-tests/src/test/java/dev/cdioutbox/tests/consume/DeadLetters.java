package dev.cdioutbox.tests.consume;

import java.util.List;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.deadletter.DeadLetter;
import dev.cdioutbox.internal.deadletter.DeadLetterFilter;
import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.deadletter.DeadLetterQueues;
import dev.cdioutbox.internal.operate.DeadLetterOperations;
import dev.cdioutbox.internal.operate.DeadLetterOperations.DeadLetterBatch;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;

/** The dead letters in Liberty's exception destination. An EJB, since the threads of Awaitility know no application. */
@Stateless
@TransactionAttribute(TransactionAttributeType.SUPPORTS)
public class DeadLetters {
    @Inject
    DeadLetterOperations operations;

    @Inject
    DeadLetterQueues queues;

    @Inject
    Outboxes outboxes;

    public List<DeadLetter> find(DeadLetterFilter filter, int skip, int limit) {
        return operations.browse(outbox(), queue(), filter, skip, limit);
    }

    /** Those of a message. */
    public List<DeadLetter> of(String message) {
        return find(new DeadLetterFilter(message, null, null), 0, 10);
    }

    public DeadLetterBatch take(DeadLetterFilter filter, int skip, int limit, boolean sendBack) {
        return operations.take(outbox(), queue(), filter, skip, limit, sendBack);
    }

    public DeadLetterBatch take(String message, boolean sendBack) {
        return take(new DeadLetterFilter(message, null, null), 0, 10, sendBack);
    }

    public int count(DeadLetterFilter filter) {
        return operations.count(queue(), filter, Integer.MAX_VALUE);
    }

    /** Takes a letter as if the broker had named this queue. */
    public DeadLetterQueues.Batch sendTo(String queue, DeadLetter letter) {
        return queues.take(
                queue(),
                List.of(new DeadLetter(
                        letter.id(),
                        letter.messageId(),
                        letter.queue(),
                        queue,
                        letter.type(),
                        letter.key(),
                        letter.sentAt(),
                        letter.failedAt(),
                        letter.reason(),
                        letter.text(),
                        letter.properties())),
                true);
    }

    private OutboxInstance outbox() {
        return outboxes.standard();
    }

    private DeadLetterQueue queue() {
        return outbox().config().current().console().deadLetters().get("exceptions");
    }
}
