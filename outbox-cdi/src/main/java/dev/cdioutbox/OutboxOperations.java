package dev.cdioutbox;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Looks at the outbox. Inject it: {@code @Inject OutboxOperations outbox}. Safe for use by several threads.
 *
 * <p>Every method reads on the outbox's DataSource: in the caller's JTA transaction if there is one, in which it then
 * sees what that transaction has written, else on its own. Each throws {@link OutboxException} ({@code OBX-0302}) if
 * the database does not answer.
 */
public interface OutboxOperations {

    /**
     * The messages that a filter lets through, the newest first.
     *
     * @param filter which messages, and how many at most; not null
     * @return the messages; never null
     */
    List<OutboxMessage> find(OutboxFilter filter);

    /**
     * One message.
     *
     * @param id the message's id; not null
     * @return the message, or empty if there is none (swept, or never there)
     */
    Optional<OutboxMessage> get(UUID id);

    /**
     * The state of the backlog, read now and at a cost that does not depend on how many messages were ever published.
     *
     * @return the backlog; never null
     */
    OutboxBacklog status();
}
