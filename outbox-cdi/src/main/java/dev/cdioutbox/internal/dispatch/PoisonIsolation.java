package dev.cdioutbox.internal.dispatch;

import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Sends a batch again without its failed messages until a transaction commits. Normally one transaction is enough. If
 * all messages failed from one on, see {@link ResendWithoutSuspect}.
 */
final class PoisonIsolation {
    /** Where each time other messages fail, it is not the messages. */
    private static final int MAX_TRANSACTIONS = 4;

    private final BatchSender sending;
    private final String destination;
    private final DatabaseClock clock;

    PoisonIsolation(BatchSender sending, String destination, DatabaseClock clock) {
        this.sending = sending;
        this.destination = destination;
        this.clock = clock;
    }

    <T> T deliver(List<OutboxMessage> batch, IsolationTransaction<T> attempt) throws Exception {
        SendResult before = SendResult.EMPTY;
        List<OutboxMessage> left = batch;
        List<OutboxMessage> order = batch;
        ResendWithoutSuspect resend = null;
        PublishException why = null;
        for (int attempts = 1; attempts <= MAX_TRANSACTIONS; ) {
            SendResult known = before;
            List<OutboxMessage> now = left;
            List<OutboxMessage> inOrder = order;
            ResendWithoutSuspect on = resend;
            try {
                return attempt.commit(() -> known.replacedBy(send(now, on)).inKeyOrder(inOrder));
            } catch (Exception e) {
                DiscardedWhileSentException discarded = DiscardedWhileSentException.behind(e);
                SendOutcomeUnknownException outcomeUnknown = SendOutcomeUnknownException.behind(e);
                if (discarded != null) {
                    left = without(discarded, now);
                    order = without(discarded, order);
                    continue;
                }
                if (outcomeUnknown == null) {
                    throw e;
                }
                before = before.replacedBy(withVerdict(outcomeUnknown.sent(), on));
                why = outcomeUnknown.firstCause();
                attempts++;
                // The last pass has to bring what is known to get through.
                boolean tries = attempts < MAX_TRANSACTIONS
                        && !sending.isStopped()
                        && (on == null || on.isProven(outcomeUnknown.sent()));
                resend = tries ? ResendWithoutSuspect.of(now, outcomeUnknown) : null;
                if (resend == null && before.isEmpty()) {
                    throw why;
                }
                left = resend == null ? before.messages() : resend.messages();
                before = resend == null ? before : before.withoutNext();
            }
        }
        throw new PublishException(
                Blame.DESTINATION, "other messages failed each time those that had not were sent again", why);
    }

    private static List<OutboxMessage> without(DiscardedWhileSentException discarded, List<OutboxMessage> messages) {
        return messages.stream()
                .filter(message -> !discarded.sequences().contains(message.sequence()))
                .toList();
    }

    private static SendResult withVerdict(SendResult sent, ResendWithoutSuspect resend) {
        return resend == null ? sent : resend.withVerdict(sent);
    }

    private SendResult send(List<OutboxMessage> messages, ResendWithoutSuspect resend)
            throws PublishException, SendOutcomeUnknownException {
        return withVerdict(send(messages), resend);
    }

    /** With nothing to send, the broker has no part in the transaction. */
    private SendResult send(List<OutboxMessage> messages) throws PublishException, SendOutcomeUnknownException {
        return messages.isEmpty() ? SendResult.EMPTY : sending.send(destination, messages, clock);
    }

    /** Sends in a transaction of its own. */
    interface IsolationTransaction<T> {
        T commit(SendStep sends) throws Exception;
    }

    /** Sends in the current transaction. */
    interface SendStep {
        SendResult send() throws PublishException, SendOutcomeUnknownException;
    }
}
