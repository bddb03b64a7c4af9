package dev.cdioutbox.internal.handle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.HandlerException;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.Causes;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.transport.CausingMessage;
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
            CausingMessage cause = CausingMessage.of(message);
            // What the entities of the handler fire at the flush, after its call, has the same cause.
            transactions.putResource(CausingMessage.class, cause);
            Object[] arguments;
            try {
                arguments = call.arguments(handler, message);
            } catch (PublishException unreadable) {
                return Optional.of(unreadable);
            }
            Throwable failure = null;
            try {
                call.handle(handler, cause, arguments);
            } catch (Exception | Error e) {
                failure = e;
            }
            if (!Objects.equals(transaction, transactions.getTransactionKey())) {
                // Another call would do the work again.
                String text = OutboxCode.HANDLER_ENDED_TRANSACTION.text(handler);
                return Optional.of(new PublishException(Blame.MESSAGE, text, failure));
            }
            return failure == null ? unlessActive() : Optional.of(failure(failure));
        }

        /** The container rolls a marked transaction back without an exception, and the message would count as handled. */
        private Optional<PublishException> unlessActive() {
            return transactions.getTransactionStatus() == Status.STATUS_ACTIVE
                    ? Optional.empty()
                    : Optional.of(
                            new PublishException(Blame.UNKNOWN, OutboxCode.HANDLER_ROLLS_BACK.text(handler), null));
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

        @Override
        public void close() {
            // The transaction has no resource of this sender.
        }
    }
}
