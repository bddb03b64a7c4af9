package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException;

/** What becomes of the messages of a batch while it is being sent. Belongs to one transaction. */
final class Tally {
    /** So many that failed are charged because one got through after them; more look like a destination that comes and goes. */
    private static final int MOST_CHARGED = 8;

    /**
     * So many that found no room, whether one got through between them or not, and only smaller ones are tried: those may be too
     * large for the room that is left. After so many more the batch ends: the destination is full.
     */
    static final int MOST_REFUSED = 8;

    private final List<OutboxMessage> sent = new ArrayList<>();
    private final Map<Long, String> brokerIds = new HashMap<>();
    private final List<OutboxMessage> expired = new ArrayList<>();
    private final List<Sent.Failure> failures = new ArrayList<>();
    private final List<Sent.Failure> uncertain = new ArrayList<>();
    private final Set<String> held = new HashSet<>();
    private final List<OutboxMessage> refused = new ArrayList<>();
    private PublishException refusal;
    private int smallest = Integer.MAX_VALUE;
    private boolean tainted;
    private boolean over;
    private OutboxMessage next;

    boolean isEmpty() {
        return sent.isEmpty();
    }

    /** The batch ends, and does not come to this message. */
    void endBefore(OutboxMessage message) {
        over = true;
        leave(message);
    }

    private void leave(OutboxMessage message) {
        next = next == null ? message : next;
    }

    boolean isOver() {
        return over;
    }

    /** What comes before it in the order of its key failed, or it is no smaller than what found no room. */
    boolean isHeld(OutboxMessage message) {
        if (refused.size() >= MOST_REFUSED && message.body().bytes() >= smallest) {
            hold(message);
            return true;
        }
        return held.contains(message.orderingKey());
    }

    private void hold(OutboxMessage message) {
        if (message.orderingKey() != null) {
            held.add(message.orderingKey());
        }
    }

    void expired(OutboxMessage message) {
        expired.add(message);
    }

    /**
     * @param brokerId null if nobody wants to know
     */
    void sent(OutboxMessage message, String brokerId) {
        sent.add(message);
        if (brokerId != null) {
            brokerIds.put(message.sequence(), brokerId);
        }
        failures.addAll(uncertain.subList(0, Math.min(MOST_CHARGED, uncertain.size())));
        uncertain.clear();
    }

    /** @throws PublishException if the destination is to blame */
    void failed(OutboxMessage message, PublishException cause) throws PublishException {
        switch (cause.blame()) {
            case DESTINATION -> throw cause;
            case MESSAGE -> failures.add(new Sent.Failure(message, cause));
            case NO_ROOM -> refuse(message, cause);
            case UNKNOWN -> {
                tainted = true;
                uncertain.add(new Sent.Failure(message, cause));
            }
        }
        hold(message);
    }

    private void refuse(OutboxMessage message, PublishException cause) {
        refusal = cause;
        refused.add(message);
        smallest = Math.min(smallest, message.body().bytes());
        if (refused.size() == MOST_REFUSED) {
            leave(message);
        }
        over |= refused.size() == 2 * MOST_REFUSED;
    }

    /**
     * At the end of the batch.
     *
     * @throws RefusedException if no message found room, and nothing else is to be settled
     * @throws TaintedException if a message failed and the broker may have it all the same
     */
    Sent end() throws PublishException, TaintedException {
        if (!tainted && refusal != null && sent.isEmpty() && failures.isEmpty() && expired.isEmpty()) {
            throw new RefusedException(refused, next, refusal);
        }
        if (uncertain.size() == 1 && !sent.isEmpty()) {
            failures.addAll(uncertain);
            uncertain.clear();
        }
        if (!uncertain.isEmpty()) {
            next = uncertain.get(0).message();
        }
        Sent all = new Sent(sent, expired, failures, brokerIds, next);
        if (tainted) {
            throw new TaintedException(all, uncertain);
        }
        return all;
    }
}
