package dev.cdioutbox.internal.dispatch;

import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Sends a batch in as many transactions as it takes until nothing that failed can be in the one that commits: normally one,
 * and a second one without them where messages failed, or were discarded meanwhile. Where all failed from one message on, see
 * {@link Trial}.
 */
final class Passes {
    /** Where each time other messages fail, it is not the messages. */
    private static final int MOST = 4;

    private final Sending sending;
    private final String destination;
    private final DatabaseClock clock;

    Passes(Sending sending, String destination, DatabaseClock clock) {
        this.sending = sending;
        this.destination = destination;
        this.clock = clock;
    }

    <T> T run(List<OutboxMessage> batch, Pass<T> pass) throws Exception {
        Sent before = Sent.NOTHING;
        List<OutboxMessage> left = batch;
        List<OutboxMessage> order = batch;
        Trial trial = null;
        PublishException why = null;
        for (int passes = 1; passes <= MOST; ) {
            Sent known = before;
            List<OutboxMessage> now = left;
            List<OutboxMessage> inOrder = order;
            Trial on = trial;
            try {
                return pass.commit(() -> known.sentAgain(send(now, on)).inTurn(inOrder));
            } catch (Exception e) {
                DiscardedException discarded = DiscardedException.behind(e);
                TaintedException tainted = TaintedException.behind(e);
                if (discarded != null) {
                    left = without(discarded, now);
                    order = without(discarded, order);
                    continue;
                }
                if (tainted == null) {
                    throw e;
                }
                before = before.sentAgain(judged(tainted.sent(), on));
                why = tainted.why();
                passes++;
                // The last pass has to bring what is known to get through.
                boolean tries = passes < MOST && !sending.isStopped() && (on == null || on.isProven(tainted.sent()));
                trial = tries ? Trial.of(now, tainted) : null;
                if (trial == null && before.isNothing()) {
                    throw why;
                }
                left = trial == null ? before.messages() : trial.messages();
                before = trial == null ? before : before.goesOn();
            }
        }
        throw new PublishException(
                Blame.DESTINATION, "other messages failed each time those that had not were sent again", why);
    }

    private static List<OutboxMessage> without(DiscardedException discarded, List<OutboxMessage> messages) {
        return messages.stream()
                .filter(message -> !discarded.sequences().contains(message.sequence()))
                .toList();
    }

    private static Sent judged(Sent sent, Trial trial) {
        return trial == null ? sent : trial.judged(sent);
    }

    private Sent send(List<OutboxMessage> messages, Trial trial) throws PublishException, TaintedException {
        return judged(send(messages), trial);
    }

    /** With nothing to send, the broker has no part in the transaction. */
    private Sent send(List<OutboxMessage> messages) throws PublishException, TaintedException {
        return messages.isEmpty() ? Sent.NOTHING : sending.send(destination, messages, clock);
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
