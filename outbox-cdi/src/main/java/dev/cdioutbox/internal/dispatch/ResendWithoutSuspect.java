package dev.cdioutbox.internal.dispatch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.OutboxMessage;

/**
 * All messages failed from one on: the destination is full, or that message broke the connection. The others are sent
 * again without it; if one of them succeeds, that message is to blame.
 */
final class ResendWithoutSuspect {
    private final SendResult.Failure suspect;
    private final List<OutboxMessage> messages = new ArrayList<>();
    private final Set<Long> behind = new HashSet<>();

    private ResendWithoutSuspect(SendResult.Failure suspect) {
        this.suspect = suspect;
    }

    /**
     * @param batch what was sent
     * @param failed what came of it
     * @return null if no other message failed
     */
    static ResendWithoutSuspect of(List<OutboxMessage> batch, SendOutcomeUnknownException failed) {
        if (failed.unproven().size() < 2) {
            return null;
        }
        ResendWithoutSuspect resend = new ResendWithoutSuspect(failed.unproven().get(0));
        Set<Long> through = sequences(failed.sent().messages());
        Set<Long> expired = sequences(failed.sent().expired());
        Set<Long> charged = sequences(failed.sent().failures().stream()
                .map(SendResult.Failure::message)
                .toList());
        Set<String> held = new HashSet<>();
        boolean isBehind = false;
        for (OutboxMessage message : batch) {
            boolean first = message.sequence() == resend.suspect.message().sequence();
            isBehind |= first;
            boolean goes = isBehind
                    ? !first && !charged.contains(message.sequence()) && !held.contains(message.orderingKey())
                    : through.contains(message.sequence());
            if (expired.contains(message.sequence())) {
                continue;
            }
            if (goes) {
                resend.messages.add(message);
                if (isBehind) {
                    resend.behind.add(message.sequence());
                }
            } else if (message.orderingKey() != null) {
                held.add(message.orderingKey());
            }
        }
        return resend;
    }

    List<OutboxMessage> messages() {
        return messages;
    }

    boolean isProven(SendResult sent) {
        return sent.messages().stream().anyMatch(message -> behind.contains(message.sequence()));
    }

    /** With the one to blame; if it is not proven, none behind it is either, though it be the last. */
    SendResult withVerdict(SendResult sent) {
        return isProven(sent) ? sent.with(suspect) : sent.withoutCharge(behind);
    }

    private static Set<Long> sequences(List<OutboxMessage> messages) {
        Set<Long> sequences = new HashSet<>();
        messages.forEach(message -> sequences.add(message.sequence()));
        return sequences;
    }
}
