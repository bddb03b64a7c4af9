package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.Settlement;

/** Publishes one batch and settles it. The two guarantees differ in one place: whether that is one transaction. */
final class Delivery {
    private static final Logger LOG = Logger.getLogger(Delivery.class.getName());

    private final OutboxStore store;
    private final Sending sending;
    private final Transactions transactions;
    private final Listeners listeners;

    Delivery(OutboxStore store, Sending sending, Transactions transactions, Listeners listeners) {
        this.store = store;
        this.sending = sending;
        this.transactions = transactions;
        this.listeners = listeners;
    }

    void deliver(
            Guarantee guarantee,
            String destination,
            List<OutboxMessage> batch,
            Map<Long, String> undecodable,
            RetryPolicy policy)
            throws Exception {
        long start = System.nanoTime();
        Outcome outcome =
                switch (guarantee) {
                    // Sending first makes the broker's branch the first to commit. Were it the database's, its locks
                    // would be free while the message is only prepared, and a lost log would lose the message.
                    case EXACTLY_ONCE ->
                        transactions.inNew(() -> settle(sending.send(destination, batch), undecodable, policy));
                    case AT_LEAST_ONCE -> {
                        Sent sent = transactions.inNew(() -> sending.send(destination, batch));
                        yield transactions.inNew(() -> settle(sent, undecodable, policy));
                    }
                };
        tell(destination, outcome, undecodable, Duration.ofNanos(System.nanoTime() - start));
    }

    private Outcome settle(Sent sent, Map<Long, String> undecodable, RetryPolicy policy) {
        List<Retry> charged = new ArrayList<>();
        for (Sent.Failure failure : sent.failures()) {
            charged.add(policy.charge(failure.message(), failure.cause(), Problem.reason(failure.cause())));
        }
        List<Retry> retries = new ArrayList<>(charged);
        undecodable.forEach((sequence, problem) -> retries.add(policy.abandon(sequence, problem)));
        store.settle(new Settlement(sequences(sent.messages()), sequences(sent.expired()), retries));
        return new Outcome(sent, charged);
    }

    private static List<Long> sequences(List<OutboxMessage> messages) {
        return messages.stream().map(OutboxMessage::sequence).toList();
    }

    private void tell(String destination, Outcome outcome, Map<Long, String> undecodable, Duration took) {
        if (!outcome.sent().messages().isEmpty()) {
            listeners.tell(l -> l.published(destination, outcome.sent().messages(), took));
        }
        for (OutboxMessage message : outcome.sent().expired()) {
            LOG.warning(Problem.MESSAGE_EXPIRED.text(
                    message.id(),
                    message.event().type(),
                    message.event().key(),
                    destination,
                    message.terms().expiresAt()));
            listeners.tell(l -> l.expired(message));
        }
        for (int i = 0; i < outcome.charged().size(); i++) {
            OutboxMessage message = outcome.sent().failures().get(i).message();
            Retry retry = outcome.charged().get(i);
            log(message, retry);
            listeners.tell(l -> l.charged(message, retry));
        }
        undecodable.forEach((sequence, problem) -> LOG.severe(Problem.UNDECODABLE_ROW.text(sequence, problem)));
    }

    private static void log(OutboxMessage message, Retry retry) {
        if (retry.status() == OutboxStatus.ABANDONED) {
            LOG.log(
                    Level.SEVERE,
                    Problem.MESSAGE_ABANDONED.text(
                            message.id(),
                            message.event().type(),
                            message.event().key(),
                            message.delivery().destination(),
                            retry.attempts(),
                            retry.error()));
        } else {
            LOG.log(
                    Level.WARNING,
                    () -> Problem.MESSAGE_RETRIED.text(
                            message.id(),
                            message.event().type(),
                            message.event().key(),
                            message.delivery().destination(),
                            retry.delay(),
                            retry.error()));
        }
    }

    /** The charged retries stand in the order of the failures. */
    private record Outcome(Sent sent, List<Retry> charged) {}
}
