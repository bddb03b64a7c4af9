package dev.cdioutbox.spi;

import java.util.Map;
import java.util.UUID;

import dev.cdioutbox.OutboxMessage;
import org.jspecify.annotations.Nullable;

/**
 * Hands messages to a transport: a CDI bean whose name ({@code @Named("parcels")}) is the transport, for the key
 * {@code outbox.transport}. One without a name has the transport {@code jms}, as the publisher of {@code outbox-jms} has; an
 * enabled alternative ({@code @Alternative @Priority(1)}) replaces that of the same transport.
 *
 * <p>For each batch, the dispatcher opens a {@link Sender}, sends the messages, completes the batch, and closes the
 * sender, all in the transaction of the delivery. It does so on its own threads, for several destinations at a time, so a
 * publisher must be thread-safe.
 * {@code outbox.dispatcher.delivery=exactly-once} needs a publisher that {@linkplain #joinsTransactions joins} that
 * transaction, or one that {@linkplain #writesMarkers writes markers}.
 *
 * <p>A transport that confirms each send before the next one reports a failure from {@link Sender#send}. A transport that
 * is faster without waiting only begins the send there, and waits in {@link Sender#complete}:
 *
 * <pre>{@code
 * public void send(OutboxMessage message) {
 *     confirmations.put(message, client.sendAsync(message));
 * }
 *
 * public Map<OutboxMessage, PublishException> complete() {
 *     Map<OutboxMessage, PublishException> failures = new HashMap<>();
 *     confirmations.forEach((message, confirmation) -> {
 *         try {
 *             confirmation.join();
 *         } catch (CompletionException e) {
 *             failures.put(message, new PublishException(Blame.UNKNOWN, "refused", e.getCause()));
 *         }
 *     });
 *     return failures;
 * }
 * }</pre>
 *
 * <p>This example needs a transport that takes back the whole batch if a message fails. Any other transport would deliver
 * the messages of a key in the wrong order: the first one fails, the second one arrives, and the first one is sent again.
 * There, {@code send} must wait until the message before with the same {@link OutboxMessage#orderingKey()} is confirmed.
 * If that one has failed, {@code send} leaves the new message out, and {@code complete} reports only the first one.
 *
 * <p>For the partition of a message, use the key of {@link OutboxMessage#event()}, which a delayed message has too; its
 * {@code orderingKey()} is null, because it keeps no order.
 *
 * <p>The contract test {@code dev.cdioutbox.testing.PublisherContract} shows whether a publisher does what this page says.
 *
 * <p>Later versions add default methods only.
 */
public interface OutboxPublisher {

    /**
     * Whether each send is part of the JTA transaction of its thread, so that consumers get the message only if that
     * transaction commits. The answer never changes. If it is false, the dispatcher sends nothing with
     * {@code exactly-once} (OBX-0439), because a rollback or a crash would deliver messages twice, unless the publisher
     * {@linkplain #writesMarkers writes markers}.
     *
     * @return false for a transport without JTA transactions, even if it has transactions of its own
     */
    boolean joinsTransactions();

    /**
     * Opens a sender for one batch and one destination. It may connect to the transport, but a sender that sends nothing
     * must enlist no resource in the transaction, and begin no transaction of the transport.
     *
     * @param destination the outbox and the logical name of the destination, which the publisher maps to a destination of
     *     the transport. The messages go to this destination, even if {@link OutboxMessage#delivery()} names another one,
     *     which is then shadowed. Not null
     * @return the sender, which the dispatcher closes before the transaction ends; never null
     * @throws PublishException if the destination is unreachable, with the blame on the destination. A RuntimeException
     *     has the same effect
     */
    Sender open(DestinationId destination) throws PublishException;

    /**
     * Takes part in the current transaction as a real delivery would, but no consumer gets a message. The dispatcher
     * probes whether broker and database can commit together. The second use is after a failed send or commit: that
     * transaction may have an open sender, and is rolled back. A publisher that does not join JTA transactions only finds
     * out whether the destination answers, or rolls back the transaction of the transport in which it does so.
     *
     * @param destination as for {@link #open(DestinationId)}
     * @throws PublishException if the destination is unreachable. With {@code exactly-once}, any other exception before
     *     the first send means that exactly-once is not possible (OBX-0403)
     */
    void probe(DestinationId destination) throws PublishException;

    /**
     * Finds out whether the transport can store a message, which no consumer gets. A container keeps the transport's reason
     * to itself when a commit fails. After a failure, the dispatcher calls this outside of any transaction, before the
     * transaction in which it {@linkplain #probe probes}. By default, this does nothing.
     *
     * @param destination as for {@link #open(DestinationId)}
     * @throws PublishException if the transport has no room, with the blame {@code DESTINATION_FULL}
     */
    default void checkRoom(DestinationId destination) throws PublishException {
        // A transport that refuses the send of a message without room needs no check.
    }

    /**
     * Describes the broker behind a destination, for the log and the health data.
     *
     * @param destination as for {@link #open(DestinationId)}
     * @return name and version; by default, "a transport of the application"; never null
     * @throws PublishException if the destination is unreachable
     */
    default String describe(DestinationId destination) throws PublishException {
        return "a transport of the application";
    }

    /**
     * Whether the transport can commit a batch together with a {@link Marker}, and shut out a sender of the past. Then
     * {@code exactly-once} needs no JTA transaction: after a crash, the marker tells whether the last batch was committed.
     *
     * @return false unless {@link #takeOver} and {@link #open(DestinationId, String, long)} are implemented; never changes
     */
    default boolean writesMarkers() {
        return false;
    }

    /**
     * Takes a memory over: waits until the transaction of each earlier sender of this memory has ended, in whatever process,
     * and prevents them from committing another one. The dispatcher calls this before the first batch, after a failure, and
     * when another node has sent meanwhile.
     *
     * @param destination as for {@link #open(DestinationId)}
     * @param memory an id of 36 characters that stands for one destination of one database; not null
     * @return the last marker that was committed with this memory, by any process; null if there is none
     * @throws PublishException if that is not known for certain
     */
    @Nullable
    default Marker takeOver(DestinationId destination, String memory) throws PublishException {
        throw new UnsupportedOperationException("writesMarkers() is false");
    }

    /**
     * Opens a sender for one batch, like {@link #open(DestinationId)}. When the sender completes the batch, it commits a marker in
     * the same transaction of the transport: with this number, and the sequences of the messages that it has sent. To begin
     * a memory, the dispatcher completes a sender without a message.
     *
     * @param destination as for {@link #open(DestinationId)}
     * @param memory the memory, which this publisher has taken over
     * @param number the number of the batch
     * @return the sender; never null
     * @throws PublishException as for {@link #open(DestinationId)}
     */
    default Sender open(DestinationId destination, String memory, long number) throws PublishException {
        throw new UnsupportedOperationException("writesMarkers() is false");
    }

    /** What a transport has committed together with a batch. */
    interface Marker {

        /**
         * The number of the batch.
         *
         * @return as it was given to {@link #open(DestinationId, String, long)}
         */
        long number();

        /**
         * The {@linkplain OutboxMessage#id() ids} of its messages, by {@linkplain OutboxMessage#sequence() sequence}. A restored
         * database gives a sequence to another message.
         *
         * @return in any order; empty if the batch only began the memory; never null
         */
        Map<Long, UUID> messages();
    }

    /** Sends the messages of one batch, in the order of the calls. One thread uses it. */
    interface Sender extends AutoCloseable {

        /**
         * Sends one message, or begins to send it. The message has not expired.
         *
         * @param message the message; not null
         * @throws PublishException if the message was not sent, with the blame that decides how the batch goes on. Any
         *     other exception counts as {@link PublishException.Blame#UNKNOWN}. If the batch goes on, the sender must be
         *     usable for the next message, and the dispatcher sends no later message of the same key
         */
        void send(OutboxMessage message) throws PublishException;

        /**
         * Completes the batch: waits until the transport has confirmed each message and, if the transport has transactions
         * of its own, commits. The dispatcher calls this once, after the last send. It does not if no message was sent, or
         * if the transaction has to roll back: a transport that can take back what it was sent does so when a sender is
         * closed and not completed.
         *
         * <p>The sends of a batch end after half of the transaction's time, and after 5 s at the latest. The rest is for this
         * method, the settlement and the commit. The dispatcher does not interrupt this method, so it needs its own
         * time-out. If the transaction's time is over, the batch is rolled back and sent again.
         *
         * <p>After a failure, the dispatcher rolls the transaction back. It sends the messages without a failure again,
         * except those that have to wait for a failed one of their key. So a transport with transactions of its own rolls
         * back, too; consumers of one without get copies. Messages that failed only because another message did are
         * no failures.
         *
         * @return why messages were not sent, for each message at fault; empty if the whole batch is sent; never null. The
         *     keys are among the messages that {@code send} took, without those for which it threw an exception
         * @throws PublishException if the whole batch was not sent, and the publisher cannot tell which message is at
         *     fault. Unless the blame is on the destination, the dispatcher finds that message by sending smaller batches.
         *     Any other exception counts as {@link PublishException.Blame#UNKNOWN}
         */
        Map<OutboxMessage, PublishException> complete() throws PublishException;

        /**
         * The transport's id of a message, which is known when the batch is completed. The settlement stores it in the
         * message's row. Must not throw: the transport may have committed by now, so the message counts as sent all the
         * same, without an id, and the log has a warning (OBX-0440).
         *
         * @param message a message of the completed batch; not null
         * @return the id, cut to 255 characters when it is stored; null if there is none, or if ids are not recorded
         */
        @Nullable
        default String brokerMessageId(OutboxMessage message) {
            return null;
        }

        /**
         * Releases the sender, and takes back what was sent and not completed, if the transport can. The dispatcher calls
         * this once, also after a failure. Must not throw: the batch would count as failed, and be sent again.
         */
        @Override
        void close();
    }
}
