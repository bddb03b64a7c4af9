package dev.cdioutbox.internal.dispatch;

import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Sends a batch in as many transactions as it takes until nothing that failed can be in the one that commits: normally one,
 * and a second one without them where messages failed, or were discarded meanwhile.
 */
final class Passes {
    /** Where each time other messages fail, it is not the messages. */
    private static final int MOST = 4;

    private final Sending sending;
    private final String destination;

    Passes(Sending sending, String destination) {
        this.sending = sending;
        this.destination = destination;
    }

    <T> T run(List<OutboxMessage> batch, Pass<T> pass) throws Exception {
        Sent before = Sent.NOTHING;
        List<OutboxMessage> left = batch;
        for (int tainted = 0; tainted < MOST; ) {
            Sent known = before;
            List<OutboxMessage> now = left;
            try {
                return pass.commit(() -> known.sentAgain(send(now)));
            } catch (Exception e) {
                DiscardedException discarded = DiscardedException.behind(e);
                TaintedException failed = TaintedException.behind(e);
                if (discarded != null) {
                    left = now.stream()
                            .filter(message -> !discarded.sequences().contains(message.sequence()))
                            .toList();
                } else if (failed != null) {
                    before = before.sentAgain(failed.sent());
                    left = before.messages();
                    tainted++;
                } else {
                    throw e;
                }
            }
        }
        throw new PublishException(
                Blame.DESTINATION,
                "other messages failed each time those that had not were sent again",
                before.failures().get(before.failures().size() - 1).cause());
    }

    /** With nothing to send, the broker has no part in the transaction. */
    private Sent send(List<OutboxMessage> messages) throws PublishException, TaintedException {
        return messages.isEmpty() ? Sent.NOTHING : sending.send(destination, messages);
    }

    /** Sends in a transaction of its own. */
    interface Pass<T> {
        T commit(Sends sends) throws Exception;
    }

    /** Sends in the current transaction. */
    interface Sends {
        Sent send() throws PublishException, TaintedException;
    }
}
