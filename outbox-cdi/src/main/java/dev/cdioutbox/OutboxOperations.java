package dev.cdioutbox;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Looks at the outbox and steers it. Inject it: {@code @Inject OutboxOperations outbox}. Safe for use by several threads
 * and on several nodes at once.
 *
 * <p>Every method works on the outbox's DataSource: in the caller's JTA transaction if there is one, in which it then
 * sees what that transaction has written, else in one of its own. Each throws {@link OutboxException} ({@code OBX-0302})
 * if the database does not answer.
 *
 * <p>Every method that changes something tells how many messages it really changed, leaves a row in {@code outbox_audit}
 * with the caller's name (its first 255 characters), and a log line once that is committed. Two callers who ask for the same at once change each message once. A message that
 * is being settled at this moment, or whose delivery is in doubt, is passed over; that it is being sent does not keep it from
 * being changed. At most
 * {@link OutboxFilter#limit()} messages are changed by a call, the oldest first. {@code retry} and {@code discard} may be
 * repeated until they change none; what was replayed matches its filter again once it is sent, so replay batch by batch,
 * with {@link OutboxFilter#withAfterSequence} and an upper end. To find what it replays it looks at all that was written
 * between the filter's times or sequences, and at all there is without them; after a minute it is given up.
 */
public interface OutboxOperations {

    /** Stands for every destination where one is paused or resumed. */
    String ALL = "*";

    /**
     * The messages that a filter lets through, the newest first. Where few of many match, that may take a look at all there
     * are: {@link #page} ends before that.
     *
     * @param filter which messages, and how many at most; not null
     * @return the messages; never null
     */
    List<OutboxMessage> find(OutboxFilter filter);

    /**
     * A page of the messages that a filter lets through, the newest first, at a bounded cost however many there are: what
     * waits is found without a look at what is done, and else twenty thousand messages are looked at. Narrow it by
     * {@link OutboxFilter#withCreated} to begin and to end where the time does; a message is found by it unless the
     * database's clock was put back by more than a minute.
     *
     * @param filter which messages, and how many at most on a page; not null
     * @return the page, which tells where the next one begins; never null
     */
    OutboxPage page(OutboxFilter filter);

    /**
     * One message.
     *
     * @param id the message's id; not null
     * @return the message, or empty if there is none (swept, or never there)
     */
    Optional<OutboxMessage> get(UUID id);

    /**
     * What operators did to a message, whether they meant it alone or with a filter that let it through. How its delivery
     * went, {@link OutboxMessage#delivery()} tells.
     *
     * @param id the message's id; not null
     * @return the last first, and the last 500 at most; empty if no operation changed it, or the message was swept; never null
     */
    List<OutboxAuditEntry> history(UUID id);

    /**
     * The state of the backlog, read now and at a cost that does not depend on how many messages were ever published.
     *
     * @return the backlog; never null
     */
    OutboxBacklog status();

    /**
     * How far {@code outbox.dispatcher.shadow-destination} has come: for each destination the highest sequence that was
     * settled with a shadow mark and is still there. {@link OutboxFilter#withShadowed} finds the messages themselves.
     *
     * @return the sequences by the destination's logical name, without those of which nothing was shadowed; never null
     */
    Map<String, Long> shadowed();

    /**
     * Who dispatches this application's messages: every process that was started, until its row is swept.
     *
     * @return the one that was seen last, first; never null
     * @see OutboxNode#isAlive()
     */
    List<OutboxNode> nodes();

    /**
     * Lets failed and abandoned messages be sent at once, with all their attempts before them. They keep their place in
     * their key's order, though messages behind an abandoned one may be out already. The time to live of an abandoned one, and one that is
     * over, counts no longer.
     *
     * @param filter which of them; not null
     * @return how many are pending again
     */
    int retry(OutboxFilter filter);

    /**
     * {@link #retry(OutboxFilter)} for one message.
     *
     * @param id the message's id; not null
     * @return whether it is pending again; false if there is no such message, or its state does not allow it
     */
    boolean retry(UUID id);

    /**
     * Gives messages up that are not published: they are not sent, and their followers go on. With
     * {@code outbox.dispatcher.delivery=at-least-once} one that is being sent at this moment may be in the broker already;
     * then it becomes published after all, and the log says so (OBX-0417).
     *
     * @param filter which of them; not null
     * @return how many are discarded
     */
    int discard(OutboxFilter filter);

    /**
     * {@link #discard(OutboxFilter)} for one message.
     *
     * @param id the message's id; not null
     * @return whether it is discarded; false if there is no such message, or its state does not allow it
     */
    boolean discard(UUID id);

    /**
     * Sends messages again that are published, expired or discarded, with the same id: repairs what a broker has lost.
     * Consumers that know the id skip them. They keep their sequence, and so may come after messages with a higher one. A
     * message whose payload was erased ({@code outbox.retention.payload}) stays as it is.
     *
     * @param filter which of them; not null
     * @return how many are pending again
     */
    int replay(OutboxFilter filter);

    /**
     * {@link #replay(OutboxFilter)} for one message.
     *
     * @param id the message's id; not null
     * @return whether it is pending again; false if there is no such message, or its state does not allow it
     */
    boolean replay(UUID id);

    /**
     * Sends copies of messages that are published, expired or discarded, with new ids and a new place in the order, and the
     * old id as causation id: makes consumers act again. The originals stay as they are, so each call makes copies of them anew.
     *
     * @param filter which of them; not null
     * @return how many copies are pending
     */
    int replayAsNew(OutboxFilter filter);

    /**
     * {@link #replayAsNew(OutboxFilter)} for one message.
     *
     * @param id the message's id; not null
     * @return whether a copy is pending; false if there is no such message, or its state does not allow it
     */
    boolean replayAsNew(UUID id);

    /**
     * Sends nothing more to a destination, on any node, from the next batch on. Messages go on to be stored.
     *
     * @param destination a logical name, or {@link #ALL} for every destination; not null
     * @return whether it was not paused before
     * @throws OutboxException OBX-0601 if there is no such destination
     */
    boolean pause(String destination);

    /**
     * Ends a pause. A pause of {@link #ALL} ends with a resume of {@link #ALL}.
     *
     * @param destination as it was paused; not null
     * @return whether it was paused before
     * @throws OutboxException OBX-0601 if there is no such destination
     */
    boolean resume(String destination);

    /**
     * The operations of another outbox of this application. What is injected is for the default one.
     *
     * @param name as in {@code outbox.outboxes.<name>.datasource}, or {@code default}; not null
     * @return its operations; never null
     * @throws OutboxException OBX-0603 if no outbox of this name is configured
     */
    OutboxOperations outbox(String name);
}
