package dev.cdioutbox.internal.operate.console;

import java.io.StringReader;
import java.util.Map;
import java.util.Set;

import jakarta.json.Json;
import jakarta.json.JsonException;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.deadletter.DeadLetter;
import dev.cdioutbox.internal.observe.DestinationState;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.operate.AuditTable;
import dev.cdioutbox.internal.store.operate.BlockedKeyFinder.BlockedKey;
import dev.cdioutbox.operate.OutboxAuditEntry;
import dev.cdioutbox.operate.OutboxFinding;
import dev.cdioutbox.operate.OutboxPage.Unreadable;

/**
 * What a user with a role sees. A {@linkplain Role#VIEWER viewer} sees no value that the application has put into a message:
 * payload, key, aggregate id, headers and the ids of its context. Nor does a viewer see the text of an error, which may quote one.
 */
record Disclosure(Role role) {
    /** In the place of a text. */
    static final String HIDDEN = "…";

    /** What an audit entry says of other things than contents. */
    private static final Set<String> SUBJECTS = Set.of(
            "id",
            "status",
            "type",
            "destination",
            "source",
            "from",
            "before",
            "shadowed",
            "afterSequence",
            "beforeSequence",
            "queue",
            "message");

    boolean isOfContents() {
        return role.includes(Role.SUPPORT);
    }

    OutboxMessage message(OutboxMessage message) {
        if (isOfContents()) {
            return message;
        }
        OutboxMessage.Event event = message.event();
        OutboxMessage.Context context = message.context();
        OutboxMessage.Delivery delivery = message.delivery();
        return new StoredMessage(
                message.sequence(),
                message.id(),
                new StoredMessage.Event(event.type(), event.version(), event.aggregateType(), null),
                new StoredMessage.Body(
                        message.body().contentType(),
                        null,
                        rounded(message.body().bytes())),
                new StoredMessage.Context(
                        null, null, null, Map.of(), context.external(), context.originSequence(), context.originId()),
                message.terms(),
                new StoredMessage.Delivery(
                        delivery.destination(),
                        delivery.status(),
                        delivery.attempts(),
                        delivery.lastAttemptAt(),
                        error(delivery.lastError()),
                        delivery.publishedAt(),
                        delivery.brokerMessageId(),
                        delivery.shadowDestination()),
                message.occurredAt(),
                message.createdAt());
    }

    /** Up to whole KiB: the exact size tells a short payload from another, such as one of true and false. */
    private static int rounded(int bytes) {
        return (int) Math.min(Integer.MAX_VALUE, (bytes + 1023L) / 1024 * 1024);
    }

    /** How a sentence names a message of the same key: by its sequence, the keys of two messages would be known to be equal. */
    String inFront(OutboxMessage message) {
        return isOfContents() ? "sequence " + message.sequence() : "an earlier message";
    }

    Unreadable unreadable(Unreadable row) {
        return isOfContents()
                ? row
                : new StoredMessage.Unreadable(
                        row.sequence(),
                        row.id(),
                        row.status(),
                        row.type(),
                        null,
                        row.destination(),
                        error(row.problem()));
    }

    DeadLetter letter(DeadLetter letter) {
        return isOfContents()
                ? letter
                : new DeadLetter(
                        letter.id(),
                        letter.messageId(),
                        letter.queue(),
                        letter.origin(),
                        letter.type(),
                        null,
                        letter.sentAt(),
                        letter.failedAt(),
                        error(letter.reason()),
                        null,
                        Map.of());
    }

    BlockedKey blockedKey(BlockedKey key) {
        return isOfContents()
                ? key
                : new BlockedKey(
                        null,
                        key.destination(),
                        key.since(),
                        key.message(),
                        key.type(),
                        key.status(),
                        key.attempts(),
                        key.nextTry(),
                        error(key.lastError()),
                        key.waiting());
    }

    OutboxAuditEntry entry(OutboxAuditEntry entry) {
        return isOfContents()
                ? entry
                : new AuditTable.Entry(
                        entry.id(),
                        entry.at(),
                        entry.who(),
                        entry.role(),
                        entry.action(),
                        subject(entry.subject()),
                        entry.changed());
    }

    /** Of a destination, the subject is its name; the table cuts a long object, which is then none. */
    private static String subject(String subject) {
        if (!subject.startsWith("{")) {
            return subject;
        }
        try (JsonReader reader = Json.createReader(new StringReader(subject))) {
            JsonObjectBuilder shown = Json.createObjectBuilder();
            reader.readObject().forEach((name, value) -> {
                if (SUBJECTS.contains(name)) {
                    shown.add(name, value);
                } else {
                    shown.add(name, HIDDEN);
                }
            });
            return shown.build().toString();
        } catch (JsonException cut) {
            return HIDDEN;
        }
    }

    OutboxFinding finding(OutboxFinding finding) {
        return isOfContents() ? finding : new Finding(finding.code(), general(finding.code()));
    }

    DestinationState.Failure failure(DestinationState.Failure failure) {
        return isOfContents() || failure == null
                ? failure
                : new DestinationState.Failure(failure.at(), error(failure.reason()));
    }

    FailureTraces.Trace trace(FailureTraces.Trace trace) {
        return isOfContents() ? trace : null;
    }

    ConsumerHistory.ConsumerFailure failure(ConsumerHistory.ConsumerFailure failure) {
        return isOfContents() || failure == null
                ? failure
                : new ConsumerHistory.ConsumerFailure(
                        failure.consumer(), failure.message(), failure.times(), failure.at(), error(failure.reason()));
    }

    ConsumerHistory.Consumer consumer(ConsumerHistory.Consumer consumer) {
        return isOfContents()
                ? consumer
                : new ConsumerHistory.Consumer(
                        consumer.name(),
                        consumer.failures(),
                        consumer.redeliveries(),
                        consumer.failing(),
                        failure(consumer.last()));
    }

    /** The text of an error; of one with a code, a viewer sees what the code says of all. */
    String error(String text) {
        if (isOfContents() || text == null) {
            return text;
        }
        return OutboxCode.withoutArguments(text).orElse("The role " + Role.SUPPORT.label() + " is needed to read it.");
    }

    private static String general(String code) {
        return OutboxCode.general(code).orElse(HIDDEN);
    }
}
