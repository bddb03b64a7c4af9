package dev.cdioutbox.internal.operate.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.deadletter.DeadLetter;
import dev.cdioutbox.internal.deadletter.DeadLetterFilter;
import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.operate.DeadLetterOperations;
import dev.cdioutbox.internal.operate.DeadLetterOperations.DeadLetterBatch;
import dev.cdioutbox.internal.operate.console.ConsumerHistory.ConsumerFailure;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.operate.OutboxBacklog;
import org.jspecify.annotations.Nullable;

/** The operations of the API on dead letters of consumers. */
@ApplicationScoped
class DeadLetterApi {
    private static final Logger LOG = Logger.getLogger(DeadLetterApi.class.getName());
    private static final int PAGE = 50;

    /** In messages: the broker compares each message of the queue with the ids of a batch. */
    private static final int BATCH_SIZE = 100;

    @Inject
    DeadLetterOperations operations;

    @Inject
    Outboxes outboxes;

    @Inject
    PayloadMasks masks;

    @Inject
    ConsumerHistory history;

    /** A page of a queue, or of each queue the beginning. */
    DeadLetterPage find(ApiRequest request) {
        OutboxInstance outbox = outbox(request);
        int skip = position(request, Parameter.AFTER);
        if (request.get(Parameter.QUEUE) != null) {
            List<DeadLetter> found = operations.browse(outbox, queue(request), filter(request), skip, PAGE);
            return page(request, found, found.size() == PAGE ? (long) skip + PAGE : null, List.of());
        }
        List<DeadLetter> found = new ArrayList<>();
        List<String> unavailable = new ArrayList<>();
        for (DeadLetterQueue queue : queues(request).values()) {
            try {
                found.addAll(operations.browse(outbox, queue, filter(request), skip, PAGE));
            } catch (OutboxException failure) {
                // An absent queue must not hide the others.
                LOG.warning(failure.getMessage());
                unavailable.add(queue.name());
            }
        }
        return page(request, found, null, unavailable);
    }

    private DeadLetterPage page(ApiRequest request, List<DeadLetter> found, Long after, List<String> unavailable) {
        return new DeadLetterPage(
                found.stream()
                        .map(letter -> masks.masked(request.disclosure().letter(letter)))
                        .toList(),
                failures(history, found).stream()
                        .map(request.disclosure()::failure)
                        .toList(),
                after,
                unavailable);
    }

    /** Brokers do not know the reason, or wrap it. */
    static List<ConsumerFailure> failures(ConsumerHistory history, List<DeadLetter> letters) {
        return letters.stream()
                .map(DeadLetter::messageId)
                .filter(Objects::nonNull)
                .distinct()
                .map(history::failures)
                .filter(failures -> !failures.isEmpty())
                .map(failures -> failures.get(failures.size() - 1))
                .toList();
    }

    ConsoleApi.Preview count(ApiRequest request) {
        int count = operations.count(queue(request), filter(request), OutboxBacklog.CAP);
        return new ConsoleApi.Preview(request.outbox(), count, count >= OutboxBacklog.CAP, count);
    }

    DeadLetterBatch sendBack(ApiRequest request) {
        return take(request, true);
    }

    DeadLetterBatch discard(ApiRequest request) {
        return take(request, false);
    }

    /** With the end that the client sends, a letter that fails again is not sent back twice: it is behind the others. */
    private DeadLetterBatch take(ApiRequest request, boolean sendBack) {
        int skip = position(request, Parameter.AFTER);
        int wanted = position(request, Parameter.BELOW) - skip;
        if (wanted <= 0) {
            return new DeadLetterBatch(0, null, null);
        }
        int limit = Math.min(BATCH_SIZE, wanted);
        DeadLetterBatch taken =
                operations.take(outbox(request), queue(request), filter(request), skip, limit, sendBack);
        operations.look(outbox(request));
        return wanted > limit ? taken : new DeadLetterBatch(taken.changed(), null, taken.left());
    }

    private static DeadLetterFilter filter(ApiRequest request) {
        return new DeadLetterFilter(
                request.get(Parameter.MESSAGE), request.get(Parameter.TYPE), request.get(Parameter.KEY));
    }

    private OutboxInstance outbox(ApiRequest request) {
        OutboxInstance outbox = outboxes.get(request.outbox());
        if (outbox == null) {
            throw OutboxCode.NO_SUCH_OUTBOX.exception(request.outbox(), outboxes.names());
        }
        return outbox;
    }

    private Map<String, DeadLetterQueue> queues(ApiRequest request) {
        return outbox(request).config().current().console().deadLetters();
    }

    private DeadLetterQueue queue(ApiRequest request) {
        DeadLetterQueue queue = queues(request).get(request.get(Parameter.QUEUE));
        if (queue == null) {
            throw new RequestRefusedException(404, "There is no such dead letter queue.");
        }
        return queue;
    }

    private static int position(ApiRequest request, Parameter<Long> parameter) {
        Long number = request.get(parameter);
        if (number != null && (number < 0 || number > Integer.MAX_VALUE)) {
            throw RequestRefusedException.badRequest(parameter.name() + " is out of range.");
        }
        return number == null ? 0 : number.intValue();
    }

    /**
     * A page of letters.
     *
     * @param failures the last failure of a consumer on this node with each message, as far as it is known
     * @param after the number of letters before the next page; null on the last page
     * @param unavailable the queues that could not be read; the log says why
     */
    public record DeadLetterPage(
            List<DeadLetter> letters,
            List<ConsumerFailure> failures,
            @Nullable Long after,
            List<String> unavailable) {}
}
