package dev.cdioutbox.internal.handle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.HandlerException;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.Causes;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/** Calls the handlers of the application, each of which is a destination. Thread-safe. */
final class LocalPublisher implements OutboxPublisher {
    private final Handlers handlers;
    private final HandlerCall call;
    private final TransactionSynchronizationRegistry transactions;

    LocalPublisher(Handlers handlers, HandlerCall call, TransactionSynchronizationRegistry transactions) {
        this.handlers = handlers;
        this.call = call;
        this.transactions = transactions;
    }

    @Override
    public boolean joinsTransactions() {
        return true;
    }

    @Override
    public Sender open(DestinationId destination) throws PublishException {
        return new LocalSender(handler(destination));
    }

    /** What a handler needs shows when it is called. */
    @Override
    public void probe(DestinationId destination) throws PublishException {
        handler(destination);
    }

    @Override
    public String describe(DestinationId destination) throws PublishException {
        return "the handler " + handler(destination);
    }

    private HandlerMethod handler(DestinationId destination) throws PublishException {
        return handlers.find(destination)
                .orElseThrow(() ->
                        new PublishException(Blame.DESTINATION, OutboxCode.HANDLER_MISSING.text(destination), null));
    }

    /** Calls the handler at the completion: a failure of a send would not roll the handler's work back. */
    private final class LocalSender implements Sender {
        private final HandlerMethod handler;
        private final List<OutboxMessage> messages = new ArrayList<>();

        LocalSender(HandlerMethod handler) {
            this.handler = handler;
        }

        @Override
        public void send(OutboxMessage message) {
            messages.add(message);
        }

        @Override
        public Map<OutboxMessage, PublishException> complete() {
            for (OutboxMessage message : messages) {
                Optional<PublishException> failure = handle(message);
                if (failure.isPresent()) {
                    return Map.of(message, failure.get());
                }
            }
            return Map.of();
        }

        private Optional<PublishException> handle(OutboxMessage message) {
            Object transaction = transactions.getTransactionKey();
            try {
                call.handle(handler, message);
            } catch (PublishException unreadable) {
                return Optional.of(unreadable);
            } catch (Exception | Error e) {
                return Optional.of(failure(e));
            }
            return whyNotCommitted(transaction)
                    .map(code -> new PublishException(Blame.UNKNOWN, code.text(handler), null));
        }

        private PublishException failure(Throwable failure) {
            String text = OutboxCode.HANDLER_FAILED.text(handler);
            HandlerException wish = Causes.first(failure, HandlerException.class);
            if (wish == null) {
                return new PublishException(Blame.UNKNOWN, text, failure);
            }
            String reason = text + ": " + wish.getMessage();
            return wish.retryAfter() == null
                    ? new PublishException(Blame.MESSAGE, reason, failure)
                    : new PublishException(Blame.UNKNOWN, reason, failure, wish.retryAfter());
        }

        /** The container rolls a marked transaction back without an exception, and the message would count as handled. */
        private Optional<OutboxCode> whyNotCommitted(Object transaction) {
            if (!Objects.equals(transaction, transactions.getTransactionKey())) {
                return Optional.of(OutboxCode.HANDLER_ENDED_TRANSACTION);
            }
            return transactions.getRollbackOnly() ? Optional.of(OutboxCode.HANDLER_ROLLS_BACK) : Optional.empty();
        }

        @Override
        public void close() {
            // The transaction has no resource of this sender.
        }
    }
}
