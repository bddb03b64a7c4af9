package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.settle.Retry;

/** What was not sent of a batch, and what becomes of it. */
record Unsent(List<Charge> charges, List<Retry> unreadable, List<OutboxMessage> expired) {

    List<Retry> retries() {
        return Stream.concat(charges.stream().map(Charge::retry), unreadable.stream())
                .toList();
    }

    Unsent without(Set<Long> sequences) {
        return new Unsent(
                charges.stream()
                        .filter(charge -> !sequences.contains(charge.message().sequence()))
                        .toList(),
                unreadable.stream()
                        .filter(row -> !sequences.contains(row.sequence()))
                        .toList(),
                expired.stream()
                        .filter(message -> !sequences.contains(message.sequence()))
                        .toList());
    }
}
