package dev.cdioutbox.spi;

import dev.cdioutbox.OutboxMessage;

/**
 * Hands messages to a transport: a CDI bean. {@code outbox-jms} has the publisher for JMS; an enabled alternative of this
 * type ({@code @Alternative @Priority(1)}) replaces it. Without {@code outbox-jms}, any bean of this type is the publisher.
 *
 * <p>The dispatcher calls a publisher on its own threads, in the transaction of the delivery, for several destinations
 * at a time. So a publisher must be thread-safe. With {@code outbox.dispatcher.delivery=exactly-once}, a send must be
 * part of that transaction, and the message must become visible at its commit only.
 */
public interface OutboxPublisher {

    /**
     * Opens a sender for one batch and one destination. A sender that sends nothing must enlist no resource in the
     * transaction.
     *
     * @param destination the logical name of the destination; not null
     * @return the sender, which the dispatcher closes before the transaction ends; never null
     * @throws PublishException if the destination is unreachable, with the blame on the destination
     */
    Sender open(String destination) throws PublishException;

    /**
     * Takes part in the current transaction as a real delivery would, but no consumer gets a message. The dispatcher
     * probes whether broker and database can commit together. The second use is after a failed send or commit: that
     * transaction may have an open sender, and is rolled back.
     *
     * @param destination the logical name of the destination; not null
     * @throws PublishException if the destination is unreachable
     */
    void probe(String destination) throws PublishException;

    /**
     * Describes the transport, for the log and the health data.
     *
     * @param destination the logical name of the destination; not null
     * @return name and version; never null
     * @throws PublishException if the destination is unreachable
     */
    default String transport(String destination) throws PublishException {
        return "a transport of the application";
    }

    /** Sends the messages of one batch, in the order of the calls. One thread uses it. */
    interface Sender extends AutoCloseable {

        /**
         * Sends one message.
         *
         * @param message the message; not null
         * @throws PublishException if the message was not sent; the sender stays usable for the next message
         */
        void send(OutboxMessage message) throws PublishException;

        /**
         * The transport's id of the last sent message. The settlement stores the id in the message's row.
         *
         * @return the id, cut to 255 characters when it is stored; null if there is none, or if ids are not recorded
         */
        default String lastBrokerMessageId() {
            return null;
        }

        @Override
        void close();
    }
}
