package dev.cdioutbox.spi;

import dev.cdioutbox.OutboxMessage;

/**
 * Hands messages to a transport. {@code outbox-jms} brings the one for JMS; an enabled
 * alternative of this type ({@code @Alternative @Priority(1)}) replaces it.
 *
 * <p>Called by the dispatcher, on its threads and inside the transaction of the delivery, for several destinations at a
 * time. With {@code outbox.dispatcher.delivery=exactly-once} what it sends must be part of that transaction and must
 * become visible only when it commits.
 */
public interface OutboxPublisher {

    /**
     * Opens what one batch for one destination needs. Sending nothing must enlist nothing.
     *
     * @param destination the logical name of the destination; not null
     * @return to be closed before the transaction ends; never null
     * @throws PublishException if the destination cannot be reached; blame is on the destination
     */
    Sender open(String destination) throws PublishException;

    /**
     * Takes part in the current transaction as a real delivery would, without any consumer seeing a message. The
     * dispatcher uses it to try whether broker and database can commit together, and whether a destination is well after a
     * send or a commit failed: then also in a transaction in which a sender is open, and which is rolled back.
     *
     * @param destination the logical name of the destination; not null
     * @throws PublishException if the destination cannot be reached
     */
    void probe(String destination) throws PublishException;

    /**
     * What is at the other end, for people to read: in the log and in the health data.
     *
     * @param destination the logical name of the destination; not null
     * @return name and version; never null
     * @throws PublishException if the destination cannot be reached
     */
    default String transport(String destination) throws PublishException {
        return "a transport of the application";
    }

    /** Sends the messages of one batch, in the order in which it is called. Used by one thread. */
    interface Sender extends AutoCloseable {

        /**
         * Sends one message.
         *
         * @param message the message; not null
         * @throws PublishException if it was not sent; the sender stays usable for the next one
         */
        void send(OutboxMessage message) throws PublishException;

        /**
         * What the transport calls the message that was sent last. It is kept with the message's row when it is settled.
         *
         * @return the id, at most 255 characters of which are kept; null if there is none, or if ids are not recorded
         */
        default String lastBrokerMessageId() {
            return null;
        }

        @Override
        void close();
    }
}
