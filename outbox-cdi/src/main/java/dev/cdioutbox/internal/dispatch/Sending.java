package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Publishes a batch. A message that fails costs itself and holds back its key; the others go on. Failures that are not
 * plainly the messages' own, and after which nothing got through, are charged to nobody if there are several: a queue that is
 * full takes the first messages and refuses the rest. A batch also ends by time, so that its transaction does not, and that nobody
 * who stops the server waits for long; and as soon as the application stops.
 */
final class Sending {
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final OutboxPublisher publisher;
    private final LongSupplier nanos;
    private final BooleanSupplier stopped;

    /**
     * @param nanos a clock that only goes forward
     * @param stopped whether the application has begun to stop
     */
    Sending(OutboxPublisher publisher, LongSupplier nanos, BooleanSupplier stopped) {
        this.publisher = publisher;
        this.nanos = nanos;
        this.stopped = stopped;
    }

    /**
     * Sends a batch in the current transaction.
     *
     * @throws PublishException if the destination is to blame, or if nothing got through and no message can be blamed
     * @throws TaintedException if a message failed and the broker may have it all the same
     */
    Sent send(String destination, List<OutboxMessage> batch) throws PublishException, TaintedException {
        List<OutboxMessage> sent = new ArrayList<>();
        Map<Long, String> brokerIds = new HashMap<>();
        List<OutboxMessage> expired = new ArrayList<>();
        List<Sent.Failure> failures = new ArrayList<>();
        List<Sent.Failure> uncertain = new ArrayList<>();
        boolean tainted = false;
        long start = nanos.getAsLong();
        Set<String> held = new HashSet<>();
        try (OutboxPublisher.Sender sender = publisher.open(destination)) {
            for (OutboxMessage message : batch) {
                boolean late = nanos.getAsLong() - start > LONGEST.toNanos();
                if (late || stopped.getAsBoolean() && !sent.isEmpty()) {
                    break;
                }
                if (held.contains(message.orderingKey())) {
                    continue;
                }
                if (message.terms().isExpired()) {
                    expired.add(message);
                    continue;
                }
                try {
                    send(sender, message);
                    sent.add(message);
                    if (sender.lastBrokerMessageId() != null) {
                        brokerIds.put(message.sequence(), sender.lastBrokerMessageId());
                    }
                    failures.addAll(uncertain);
                    uncertain.clear();
                } catch (PublishException e) {
                    if (e.blame() == Blame.DESTINATION) {
                        throw e;
                    }
                    tainted |= e.blame() == Blame.UNKNOWN;
                    (e.blame() == Blame.MESSAGE ? failures : uncertain).add(new Sent.Failure(message, e));
                    if (message.orderingKey() != null) {
                        held.add(message.orderingKey());
                    }
                }
            }
        }
        if (sent.isEmpty() && failures.isEmpty() && !uncertain.isEmpty()) {
            throw uncertain.get(0).cause();
        }
        if (uncertain.size() == 1 && !sent.isEmpty()) {
            failures.addAll(uncertain);
        }
        Sent all = new Sent(sent, expired, failures, brokerIds);
        if (tainted) {
            throw new TaintedException(all);
        }
        return all;
    }

    /** What a publisher lets slip is a failed message too: thrown on, it would stop the destination for good. */
    private static void send(OutboxPublisher.Sender sender, OutboxMessage message) throws PublishException {
        try {
            sender.send(message);
        } catch (RuntimeException e) {
            throw new PublishException(Blame.UNKNOWN, "the publisher failed", e);
        }
    }
}
