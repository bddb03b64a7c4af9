package dev.cdioutbox.operate;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxUnavailableException;

/**
 * Reads and operates the outbox. Inject it: {@code @Inject OutboxOperations outbox}. Thread-safe, and safe on several
 * nodes at once. It neither sees nor changes the messages of other applications in the same tables.
 *
 * <p>Every method uses the outbox's DataSource, in the caller's JTA transaction if there is one, else in its own. A
 * method sees the rows that the caller's transaction has written. Each method throws
 * {@link OutboxUnavailableException} if the database does not answer, and {@link IllegalArgumentException} if an argument
 * is null. No method checks a role: an application that exposes them has to, for example by {@code @RolesAllowed}.
 *
 * <p>A unit test may mock this interface: filters and requests with the same values are equal.
 *
 * <p>Rules for every method that changes messages:
 * <ul>
 * <li>It writes a row to {@code outbox_audit} with the caller's name (the first 255 characters), and logs a line after
 * the commit.
 * <li>Two concurrent calls change each message once.
 * <li>A call changes at most {@link OutboxPageRequest#limit()} messages, the oldest first.
 * <li>It skips messages that a transaction is settling, and messages in doubt. A message that is being sent, but not
 * settled yet, can be changed.
 * <li>{@link OutboxChange#next()} continues where the call ended, and makes the loop below end, although messages fail,
 * are sent or are stored meanwhile. Run the loop outside of a transaction, so that each call commits its own changes.
 * <li>A replay reads all messages between the filter's times and the request's sequences, or all messages without such
 * bounds. The query fails after a minute.
 * </ul>
 *
 * <p>Where change data capture sends a destination ({@code transport=cdc}), what needs a dispatcher throws {@link
 * dev.cdioutbox.OutboxException OutboxException} OBX-0609, and changes nothing: pause, retry, replay and backfill. A replay as
 * new works.
 *
 * <pre>{@code
 * OutboxFilter abandoned = OutboxFilter.all().withStatus(OutboxStatus.ABANDONED).withDestination("billing");
 * for (OutboxPageRequest request = OutboxPageRequest.of(500); request != null; ) {
 *     OutboxChange change = outbox.retry(abandoned, request);
 *     request = change.next();
 * }
 * }</pre>
 */
public interface OutboxOperations {

    /** Means every destination, in {@link #pause} and {@link #resume}. */
    String ALL = "*";

    /**
     * Finds the newest 100 messages that match a filter, as {@link #find(OutboxFilter, OutboxPageRequest)} does.
     *
     * @param filter selects the messages; not null
     * @return the messages, the newest first; never null
     */
    default List<OutboxMessage> find(OutboxFilter filter) {
        return find(filter, OutboxPageRequest.of(100));
    }

    /**
     * Finds the newest messages that match a filter. If few of many messages match, the query may read all of them;
     * {@link #page} has a bounded cost.
     *
     * @param filter selects the messages; not null
     * @param request limits their number, and perhaps their sequences; not null
     * @return the messages, the newest first; never null
     */
    List<OutboxMessage> find(OutboxFilter filter, OutboxPageRequest request);

    /**
     * Finds a page of the messages that match a filter, the newest first, at a bounded cost. For waiting messages the
     * query does not read settled ones; otherwise it reads up to 20,000 messages per page.
     * {@link OutboxFilter#withCreated} limits the query to a range of time. The query may miss a message if the
     * database's clock was set back by more than a minute.
     *
     * @param filter selects the messages; not null
     * @param request limits their number, and says where the page begins; not null
     * @return the page, with the request for the next one; never null
     */
    OutboxPage page(OutboxFilter filter, OutboxPageRequest request);

    /**
     * Finds one message.
     *
     * @param id the message's id; not null
     * @return the message, or empty if there is none (purged, or never stored)
     */
    Optional<OutboxMessage> get(UUID id);

    /**
     * The operations that changed a message, by its id or by a filter. {@link OutboxMessage#delivery()} describes its
     * delivery.
     *
     * @param id the message's id; not null
     * @return the last 500 entries at most, the latest first; empty if no operation changed the message, or the message
     *     was purged; never null
     */
    List<OutboxAuditEntry> history(UUID id);

    /**
     * Reads the state of the backlog. The cost does not depend on the number of published messages.
     *
     * @return the backlog; never null
     */
    OutboxBacklog status();

    /**
     * The progress of {@code outbox.dispatcher.shadow-destination}: for each destination, the highest sequence of a
     * stored message with a shadow mark. {@link OutboxFilter#withShadowed} finds the messages.
     *
     * @return the sequences by the destination's logical name, without destinations that have no such message; never
     *     null
     */
    Map<String, Long> shadowed();

    /**
     * The processes that dispatch this application's messages, running and ended ones, until their rows are purged.
     *
     * @return the nodes, the one with the latest heartbeat first; never null
     * @see OutboxNode#isAlive()
     */
    List<OutboxNode> nodes();

    /**
     * Looks for everything that is wrong with the set-up, as far as this node can see: configuration, tables, rights, DataSource,
     * connection pool, XA, clocks, other nodes, and destinations that this node fails to reach. Changes no message, and does
     * not wait for a broker. Outside of the caller's transaction.
     *
     * @return what is wrong; empty if nothing was found; never null. If the database does not answer, that is a finding
     */
    List<OutboxFinding> diagnose();

    /**
     * Makes failed and abandoned messages pending again: due at once, with zero attempts. They keep their place in
     * their key's order, but later messages of an abandoned one's key may have been published already. An abandoned
     * message loses its time to live, and a failed one loses an expired time to live.
     *
     * @param filter selects the messages; not null
     * @param request limits their number, and perhaps their sequences; not null
     * @return the number of messages that are pending again, and the request for the rest; never null
     */
    OutboxChange retry(OutboxFilter filter, OutboxPageRequest request);

    /**
     * {@link #retry(OutboxFilter, OutboxPageRequest)} for one message.
     *
     * @param id the message's id; not null
     * @return what it did; never null
     */
    OutboxOutcome retry(UUID id);

    /**
     * Discards unpublished messages: the outbox does not send them, and later messages of their keys no longer wait for
     * them. With {@code outbox.dispatcher.delivery=at-least-once}, the broker may already have a message that is being
     * sent. Then the dispatcher settles that message as published after all, and logs OBX-0417.
     *
     * @param filter selects the messages; not null
     * @param request limits their number, and perhaps their sequences; not null
     * @return the number of discarded messages, and the request for the rest; never null
     */
    OutboxChange discard(OutboxFilter filter, OutboxPageRequest request);

    /**
     * {@link #discard(OutboxFilter, OutboxPageRequest)} for one message.
     *
     * @param id the message's id; not null
     * @return what it did; never null
     */
    OutboxOutcome discard(UUID id);

    /**
     * Sends published, expired or discarded messages again, with the same id: for messages that a broker has lost.
     * Idempotent consumers skip the ids that they know. The messages keep their sequence, so a consumer may receive
     * them after messages with a higher one. A replay skips messages with an erased payload ({@code
     * outbox.retention.payload}).
     *
     * @param filter selects the messages; not null
     * @param request limits their number, and perhaps their sequences; not null
     * @return the number of messages that are pending again, and the request for the rest; never null
     */
    OutboxChange replay(OutboxFilter filter, OutboxPageRequest request);

    /**
     * {@link #replay(OutboxFilter, OutboxPageRequest)} for one message.
     *
     * @param id the message's id; not null
     * @return what it did; never null
     */
    OutboxOutcome replay(UUID id);

    /**
     * Sends copies of published, expired or discarded messages, so that consumers act again. A copy has a new id, a new
     * place in the order, and the old id as causation id. The originals do not change, so each call creates further
     * copies.
     *
     * @param filter selects the messages; not null
     * @param request limits their number, and perhaps their sequences; not null
     * @return the number of pending copies, and the request for the rest; never null
     */
    OutboxChange replayAsNew(OutboxFilter filter, OutboxPageRequest request);

    /**
     * {@link #replayAsNew(OutboxFilter, OutboxPageRequest)} for one message.
     *
     * @param id the message's id; not null
     * @return what it did; never null
     */
    OutboxOutcome replayAsNew(UUID id);

    /**
     * Erases what messages contain: payload, headers, key, aggregate id, tenant, correlation and causation id, and the text of the last
     * error. Messages that wait or are abandoned are discarded first. Types, times and outcomes stay. With {@code
     * outbox.retention.mode=archive}, the last call also deletes the messages from the archive. An erased message cannot be sent again.
     * The audit does not repeat the values of the filter. The texts of consumers' failures that nodes keep in memory for the console are
     * forgotten by this node after the commit, but not by the others.
     *
     * @param filter selects the messages by what they contain: by key, aggregate id, tenant, correlation or causation id, and perhaps by
     *     type, destination and time; not null
     * @param request limits their number, and perhaps their sequences; not null
     * @return what was erased, what was not reached, and the request for the rest; never null
     * @throws IllegalArgumentException if the filter has none of the values above, or a status, an error or a shadow mark
     */
    OutboxErasure erase(OutboxFilter filter, OutboxPageRequest request);

    /**
     * {@link #erase(OutboxFilter, OutboxPageRequest)} for one message, also if only the archive has it.
     *
     * @param id the message's id; not null
     * @return what it did; never null
     */
    OutboxOutcome erase(UUID id);

    /** {@return the logical names of this outbox's configured destinations, sorted; not null, unmodifiable} */
    Set<String> destinations();

    /**
     * {@return the name under which this application stores its messages: {@code outbox.application}, by default that of the
     * module; not null}
     */
    String application();

    /**
     * Pauses a destination: from the next batch on, no node sends to it. The outbox still stores messages.
     *
     * @param destination a logical name, or {@link #ALL} for every destination; not null
     * @return true if the destination was not paused before
     * @throws UnknownNameException OBX-0601 if there is no such destination
     */
    boolean pause(String destination);

    /**
     * Ends a pause. A pause of {@link #ALL} ends with a resume of {@link #ALL}.
     *
     * @param destination the same name as for {@link #pause}; not null
     * @return true if the destination was paused before
     * @throws UnknownNameException OBX-0601 if there is no such destination
     */
    boolean resume(String destination);

    /**
     * Gives a destination the kept messages of another one, in the background: for a consumer that is new, and needs what
     * was fired before. Start it when each node routes the types to the destination.
     *
     * <p>From the next batch on, the destination gets nothing but the copies, in the order of their originals. Once they
     * are sent, it gets what was fired since; until then it counts as paused. A {@link #pause} pauses the backfill, too.
     *
     * <p>A copy has the id and {@code sequence} that the event's message for this destination would have had, so messages
     * that the destination has already are not copied, and a repeated backfill copies only what is missing. Messages that
     * have expired or were discarded or erased are skipped. An external destination gets no headers and ids of messages
     * that were stored for an internal one.
     *
     * @param destination the logical name of the destination that gets the messages; not null
     * @param source the logical name of the destination whose messages are copied, whatever became of them there; not null
     * @param eventTypes the event types to copy, at least one; not null
     * @param from the earliest time of creation, by the database's clock; not null
     * @throws UnknownNameException OBX-0604 if one of the destinations is not configured
     * @throws dev.cdioutbox.OutboxException OBX-0605 if a backfill of this destination is running
     * @throws IllegalArgumentException if both destinations are the same, there is no type, or the names of the types have
     *     more than 2,000 characters
     */
    void backfill(String destination, String source, Set<String> eventTypes, Instant from);

    /**
     * The progress of backfills.
     *
     * @return the last backfill of each destination that had one, by the destination's name; never null
     */
    List<OutboxBackfill> backfills();

    /**
     * Copies nothing more. Copies that wait are still sent, and first; then the backfill ends.
     *
     * @param destination the logical name of the destination that gets the messages; not null
     * @return true if there was more to copy
     * @throws UnknownNameException if there is no such destination, and no backfill of it
     */
    boolean cancelBackfill(String destination);

    /**
     * The operations of another outbox of this application. The injected instance works on the default outbox.
     *
     * @param name as in {@code outbox.outboxes.<name>.datasource}, or {@code default}; not null
     * @return its operations; never null
     * @throws UnknownNameException OBX-0603 if no outbox of this name is configured
     */
    OutboxOperations outbox(String name);
}
