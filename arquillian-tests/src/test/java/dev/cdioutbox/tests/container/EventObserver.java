package dev.cdioutbox.tests.container;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.naming.InitialContext;
import javax.naming.NamingException;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.MessageAbandoned;
import dev.cdioutbox.MessagePublished;

/** An application's observer that throws for each published message, to show that dispatch continues. */
@ApplicationScoped
public class EventObserver {
    private final List<MessagePublished> published = new CopyOnWriteArrayList<>();
    private final List<MessageAbandoned> abandoned = new CopyOnWriteArrayList<>();
    private final List<Integer> transactions = new CopyOnWriteArrayList<>();

    void published(@Observes MessagePublished event) throws NamingException {
        noteTransaction();
        published.add(event);
        throw new IllegalStateException("a bug in an observer");
    }

    void abandoned(@Observes MessageAbandoned event) {
        abandoned.add(event);
    }

    private void noteTransaction() throws NamingException {
        TransactionSynchronizationRegistry registry =
                InitialContext.doLookup("java:comp/TransactionSynchronizationRegistry");
        if (registry.getTransactionStatus() != Status.STATUS_NO_TRANSACTION) {
            transactions.add(registry.getTransactionStatus());
        }
    }

    List<MessagePublished> publishedOf(String key) {
        return published.stream()
                .filter(event -> key.equals(event.event().key()))
                .toList();
    }

    List<MessageAbandoned> abandonedOf(String key) {
        return abandoned.stream()
                .filter(event ->
                        event.event() != null && key.equals(event.event().key()))
                .toList();
    }

    /** The status of each transaction in which the server has called an observer; it should be empty. */
    List<Integer> transactions() {
        return transactions;
    }
}
