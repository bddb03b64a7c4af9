package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/** Publishes a batch. A message that fails costs itself and holds back its key; the others go on. */
final class Sending {
    private final OutboxPublisher publisher;

    Sending(OutboxPublisher publisher) {
        this.publisher = publisher;
    }

    /**
     * Sends a batch in the current transaction.
     *
     * @throws PublishException if the destination is to blame, or if nothing got through and no message can be blamed
     */
    Sent send(String destination, List<OutboxMessage> batch) throws PublishException {
        List<OutboxMessage> sent = new ArrayList<>();
        List<OutboxMessage> expired = new ArrayList<>();
        List<Sent.Failure> failures = new ArrayList<>();
        Set<String> held = new HashSet<>();
        try (OutboxPublisher.Sender sender = publisher.open(destination)) {
            for (OutboxMessage message : batch) {
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
                } catch (PublishException e) {
                    if (e.blame() == Blame.DESTINATION) {
                        throw e;
                    }
                    failures.add(new Sent.Failure(message, e));
                    if (message.orderingKey() != null) {
                        held.add(message.orderingKey());
                    }
                }
            }
        }
        return new Sent(sent, expired, sent.isEmpty() ? certain(failures) : failures);
    }

    /** What a publisher lets slip is a failed message too: thrown on, it would stop the destination for good. */
    private static void send(OutboxPublisher.Sender sender, OutboxMessage message) throws PublishException {
        try {
            sender.send(message);
        } catch (RuntimeException e) {
            throw new PublishException(Blame.UNKNOWN, "the publisher failed", e);
        }
    }

    /** Where nothing got through, what cannot be told is as likely the destination's fault: it is not charged. */
    private static List<Sent.Failure> certain(List<Sent.Failure> failures) throws PublishException {
        List<Sent.Failure> certain = failures.stream()
                .filter(failure -> failure.cause().blame() == Blame.MESSAGE)
                .toList();
        if (certain.isEmpty() && !failures.isEmpty()) {
            throw failures.get(0).cause();
        }
        return certain;
    }
}
