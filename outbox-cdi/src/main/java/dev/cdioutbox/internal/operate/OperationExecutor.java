package dev.cdioutbox.internal.operate;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.internal.capture.message.UuidV7;
import dev.cdioutbox.internal.store.MessageReference;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.admin.MessageOperation;
import dev.cdioutbox.internal.store.admin.OperatorStore;
import dev.cdioutbox.internal.store.admin.OperatorStore.ChangeCandidate;

/**
 * Finds messages and changes exactly these: a second query by the filter could match other messages. Copies messages in
 * parts that fit into memory.
 */
final class OperationExecutor {
    private static final int MAX_BYTES_HELD = 4 * 1024 * 1024;

    /** In bytes of payload: the transaction of a batch must not run into its time-out. */
    private static final int MAX_BATCH_BYTES = 16 * 1024 * 1024;

    private final OperatorStore operations;
    private final OutboxStore store;
    private final int maxBytesHeld;

    OperationExecutor(OperatorStore operations, OutboxStore store) {
        this(operations, store, MAX_BYTES_HELD);
    }

    /** @param maxBytesHeld the limit for payload bytes in memory; a single message may have more */
    OperationExecutor(OperatorStore operations, OutboxStore store, int maxBytesHeld) {
        this.operations = operations;
        this.store = store;
        this.maxBytesHeld = maxBytesHeld;
    }

    /** @param name the name of an operation in batches, which may end a batch before the filter's limit; or null */
    Done execute(MessageOperation operation, OutboxFilter filter, String name) {
        List<ChangeCandidate> all = operations.changeCandidates(operation, filter);
        boolean mayEnd = name != null && operation == MessageOperation.REPLAY_AS_NEW;
        List<ChangeCandidate> found = mayEnd ? first(all, MAX_BATCH_BYTES) : all;
        boolean more = all.size() == filter.limit() || found.size() < all.size();
        Long last = more ? (Long) found.get(found.size() - 1).sequence() : null;
        return new Done(
                operation == MessageOperation.REPLAY_AS_NEW
                        ? copy(found, name)
                        : operations.change(operation, sequences(found)),
                last);
    }

    private List<MessageReference> copy(List<ChangeCandidate> originals, String name) {
        List<MessageReference> copied = new ArrayList<>();
        for (int from = 0; from < originals.size(); ) {
            List<ChangeCandidate> some = first(originals.subList(from, originals.size()), maxBytesHeld);
            List<OutboxMessage> read = store.find(sequences(some)).stream()
                    .filter(message -> !isErased(message.body()))
                    .toList();
            if (!read.isEmpty()) {
                store.write(read.stream().map(original -> copy(original, name)).toList());
            }
            read.forEach(message -> copied.add(reference(message)));
            from += some.size();
        }
        return copied;
    }

    private static NewMessage copy(OutboxMessage original, String name) {
        Context context = original.context();
        return new NewMessage(
                copyId(name, original.id()),
                original.event(),
                original.body(),
                new Context(context.correlationId(), original.id().toString(), context.tenantId(), context.headers()),
                new Terms(null, null, original.terms().priority()),
                original.delivery().destination(),
                original.occurredAt());
    }

    /**
     * Creates the id of a copy. In a named operation, the id derives from the name and the original's id. If a client
     * repeats a batch after a lost answer, the copies get the same ids, and the table refuses them. All are UUIDs of
     * version 7; a name begins with the time.
     */
    static UUID copyId(String name, UUID original) {
        if (name == null) {
            return UuidV7.next(System.currentTimeMillis());
        }
        UUID hash = UUID.nameUUIDFromBytes((name + " " + original).getBytes(StandardCharsets.UTF_8));
        return UuidV7.of(
                Long.parseUnsignedLong(name.substring(0, 12), 16),
                hash.getMostSignificantBits(),
                // The highest bits are the same in each UUID.
                hash.getLeastSignificantBits() << 2);
    }

    /** The first candidates whose payloads fit into the limit, at least one. */
    private static List<ChangeCandidate> first(List<ChangeCandidate> candidates, int mostBytes) {
        long bytes = 0;
        int count = 0;
        for (ChangeCandidate candidate : candidates) {
            bytes += candidate.bytes();
            if (count > 0 && bytes > mostBytes) {
                break;
            }
            count++;
        }
        return candidates.subList(0, count);
    }

    private static List<Long> sequences(List<ChangeCandidate> candidates) {
        return candidates.stream().map(ChangeCandidate::sequence).toList();
    }

    private static boolean isErased(OutboxMessage.Body body) {
        return body.bytes() > 0 && body.text().isEmpty();
    }

    private static MessageReference reference(OutboxMessage message) {
        return new MessageReference(
                message.sequence(),
                message.id().toString(),
                message.event().type(),
                message.delivery().destination(),
                message.context().correlationId(),
                message.delivery().attempts());
    }

    /**
     * @param messages the messages before the change
     * @param last the highest sequence that the operation has processed; null if no more follow
     */
    record Done(List<MessageReference> messages, Long last) {}
}
