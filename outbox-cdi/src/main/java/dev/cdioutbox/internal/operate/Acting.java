package dev.cdioutbox.internal.operate;

import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.MessageReference;
import dev.cdioutbox.internal.store.Operations;
import dev.cdioutbox.internal.store.Operations.Candidate;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Looks for messages and does something to just those: by the filter again, others would be changed in their place that became
 * right for it in between. Copies are made of as many at a time as the memory takes.
 */
final class Acting {
    private static final int BYTES_AT_ONCE = 4 * 1024 * 1024;
    private static final int PORTION_BYTES = 16 * 1024 * 1024;

    private final Operations operations;
    private final OutboxStore store;
    private final int bytesAtOnce;
    private final int portionBytes;

    Acting(Operations operations, OutboxStore store) {
        this(operations, store, BYTES_AT_ONCE, PORTION_BYTES);
    }

    /**
     * @param bytesAtOnce payloads of so many bytes are held at once; one message may have more
     * @param portionBytes a portion of copies has no more, or one message
     */
    Acting(Operations operations, OutboxStore store, int bytesAtOnce, int portionBytes) {
        this.operations = operations;
        this.store = store;
        this.bytesAtOnce = bytesAtOnce;
        this.portionBytes = portionBytes;
    }

    /** @param ends whether it ends by bytes too */
    Done act(Act act, OutboxFilter filter, boolean ends, CopyIds ids) {
        List<Candidate> found = operations.candidates(act.change(), filter);
        List<Candidate> now = ends && act == Act.REPLAY_AS_NEW ? first(found, portionBytes) : found;
        boolean more = now.size() == filter.limit() || now.size() < found.size();
        Long last = more ? (Long) now.get(now.size() - 1).sequence() : null;
        return new Done(
                act == Act.REPLAY_AS_NEW ? copy(now, ids) : operations.change(act.change(), sequences(now)), last);
    }

    private List<MessageReference> copy(List<Candidate> originals, CopyIds ids) {
        List<MessageReference> copied = new ArrayList<>();
        for (int from = 0; from < originals.size(); ) {
            List<Candidate> some = first(originals.subList(from, originals.size()), bytesAtOnce);
            List<OutboxMessage> read = store.find(sequences(some)).stream()
                    .filter(message -> Act.REPLAY_AS_NEW
                            .change()
                            .from()
                            .contains(message.delivery().status()))
                    .filter(message -> !isErased(message.body()))
                    .toList();
            if (!read.isEmpty()) {
                store.write(Copies.of(read, ids));
            }
            read.forEach(message -> copied.add(reference(message)));
            from += some.size();
        }
        return copied;
    }

    /** As many as have so many bytes; one at least, if there is one. */
    private static List<Candidate> first(List<Candidate> candidates, int mostBytes) {
        long bytes = 0;
        int count = 0;
        for (Candidate candidate : candidates) {
            bytes += candidate.bytes();
            if (count > 0 && bytes > mostBytes) {
                break;
            }
            count++;
        }
        return candidates.subList(0, count);
    }

    private static List<Long> sequences(List<Candidate> candidates) {
        return candidates.stream().map(Candidate::sequence).toList();
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
     * @param messages as they were before
     * @param last the highest sequence that was looked at; null if no more follow
     */
    record Done(List<MessageReference> messages, Long last) {}
}
