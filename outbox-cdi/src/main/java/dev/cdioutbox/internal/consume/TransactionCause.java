package dev.cdioutbox.internal.consume;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.transport.CausingMessage;

/**
 * Makes a received message the cause of what its transaction stores after the consumer has returned: entities fire events
 * at the flush, which comes with the commit.
 */
@ApplicationScoped
public class TransactionCause {
    private static final CausingMessage UNKNOWN = new CausingMessage(null, null, null, null, null);

    @Inject
    Outboxes outboxes;

    /** Call this before the message is handled, on its thread. It has no effect without a transaction. */
    public void handles(CausingMessage message) {
        TransactionSynchronizationRegistry transactions = outboxes.transactions();
        if (transactions.getTransactionKey() == null) {
            return;
        }
        Object first = transactions.getResource(CausingMessage.class);
        // Inside of its call, a consumer may have others handle other messages: the transaction remains that of its own
        // message.
        boolean isInner = first != null && first.equals(CausingMessage.current());
        if (!isInner) {
            // Of several messages in one transaction, nobody knows for which of them an entity was changed.
            transactions.putResource(CausingMessage.class, first == null || first.equals(message) ? message : UNKNOWN);
        }
    }
}
