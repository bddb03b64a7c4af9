package dev.cdioutbox.internal.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Delivery;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.store.claim.BatchReadException;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.claim.LockProbe;
import dev.cdioutbox.internal.store.claim.Owner;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.settle.SentSettlement;
import dev.cdioutbox.internal.store.settle.UnsentSettlement;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;

/** Creates messages for tests. */
public final class TestMessages {
    public static final String DESTINATION = "default";

    private TestMessages() {}

    /** The id of a partition of the application {@code shop}. */
    public static long partition(String destination, int number) {
        return QueueId.of("shop", destination, number).value();
    }

    /** Claims partitions of the default destination, and probes the locks of their messages. */
    public static Claim claim(JdbcOutboxStore store, ClaimLimits limits) {
        return claim(store, store.claims().rowLocks(DESTINATION), limits);
    }

    public static Claim claim(JdbcOutboxStore store, Reservation reservation, ClaimLimits limits) {
        return claim(store, reservation, 0, limits, store.pendingRows()::lockable);
    }

    /** The same after a partition, and with another probe. */
    public static Claim claim(
            JdbcOutboxStore store, Reservation reservation, long after, ClaimLimits limits, LockProbe probe) {
        try {
            return store.claims().claim(reservation, after, limits, probe);
        } catch (RuntimeException e) {
            throw e;
        } catch (BatchReadException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e);
        } catch (Exception e) {
            throw new IllegalStateException("no probe of a test throws it", e);
        }
    }

    /** Changes the oldest 100 messages that match a filter. */
    public static List<Long> change(JdbcOutboxStore store, MessageOperation operation, OutboxFilter filter) {
        return change(store, operation, filter, OutboxPageRequest.of(100));
    }

    /** Changes the oldest messages that match a filter. */
    public static List<Long> change(
            JdbcOutboxStore store, MessageOperation operation, OutboxFilter filter, OutboxPageRequest request) {
        return store.operations().change(operation, store.finder().candidates(operation, filter, request));
    }

    public static NewMessage message(String key, String text) {
        return message("OrderPlaced", key, text, DESTINATION);
    }

    public static NewMessage message(String type, String key, String text, String destination) {
        return new NewMessage(
                UUID.randomUUID(),
                new Event(type, 1, "Order", key),
                new Body("text/plain", OutboxPayload.text(text)),
                Context.NONE,
                Terms.NONE,
                destination,
                Instant.now());
    }

    /** The same message with other terms. */
    public static NewMessage terms(NewMessage message, Terms terms) {
        return terms(message, terms, message.occurredAt());
    }

    /** The same message with other terms, of an event at another time. */
    static NewMessage terms(NewMessage message, Terms terms, Instant occurredAt) {
        return new NewMessage(
                message.id(),
                message.event(),
                message.body(),
                message.context(),
                terms,
                message.destination(),
                occurredAt);
    }

    /** The same message with another payload. */
    public static NewMessage payload(NewMessage message, OutboxPayload payload) {
        return new NewMessage(
                message.id(),
                message.event(),
                new Body(payload.isBinary() ? "avro/binary" : "text/plain", payload),
                message.context(),
                message.terms(),
                message.destination(),
                message.occurredAt());
    }

    /** The same message of another aggregate. */
    public static NewMessage aggregate(NewMessage message, String id) {
        return new NewMessage(
                message.id(),
                new Event(message.event().type(), 1, "Order", message.event().key(), id),
                message.body(),
                message.context(),
                message.terms(),
                message.destination(),
                message.occurredAt());
    }

    /** The same message with these headers. */
    static NewMessage headers(NewMessage message, Map<String, String> headers) {
        return context(message, new Context(null, null, null, headers));
    }

    /** The same message in this context. */
    public static NewMessage context(NewMessage message, Context context) {
        return new NewMessage(
                message.id(),
                message.event(),
                message.body(),
                context,
                message.terms(),
                message.destination(),
                message.occurredAt());
    }

    /** One message for each key, whose text is the key. */
    public static List<NewMessage> keyed(String... keys) {
        return Arrays.stream(keys).map(key -> message(key, key)).toList();
    }

    /** So many messages with texts {@code first}, {@code first + 1} and so on; the key is {@code key-<text % keys>}. */
    public static List<NewMessage> numbered(int first, int count, int keys) {
        List<NewMessage> messages = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            messages.add(message("key-" + i % keys, String.valueOf(i)));
        }
        return messages;
    }

    public static OutboxMessage stored(long sequence, String key, int attempts) {
        return new StoredMessage(
                sequence,
                UUID.randomUUID(),
                new Event("OrderPlaced", 1, "Order", key),
                new Body("text/plain", OutboxPayload.text("text")),
                Context.NONE,
                StoredMessage.Terms.NONE,
                new Delivery(DESTINATION, OutboxStatus.PENDING, attempts, null, null, null, null, null),
                Instant.EPOCH,
                Instant.EPOCH);
    }

    public static List<String> texts(List<OutboxMessage> messages) {
        return messages.stream().map(message -> message.body().text()).toList();
    }

    /** Settles all messages of a claim as published. */
    public static void publishAll(JdbcOutboxStore store, Claim claim) {
        List<Long> all = claim.messages().stream().map(OutboxMessage::sequence).toList();
        store.settlements().settleSent(sent(all));
    }

    public static SentSettlement sent(List<Long> sequences) {
        return sent(sequences, RetentionConfig.DEFAULT);
    }

    /** A settlement without shadowing and brokers' ids. */
    public static SentSettlement sent(List<Long> sequences, RetentionConfig retention) {
        return new SentSettlement(sequences, retention, null, Map.of());
    }

    public static UnsentSettlement unsent(List<Retry> retries) {
        return unsent(List.of(), retries, RetentionConfig.DEFAULT);
    }

    /** A settlement without dead letters. */
    public static UnsentSettlement unsent(List<Long> expired, List<Retry> retries, RetentionConfig retention) {
        return new UnsentSettlement(expired, retries, retention, Map.of());
    }

    /** An owner whom nobody asks. */
    public static final Owner NOBODY = new LastOwner();

    /** An owner who only remembers what a claim has told about the last one. */
    public static final class LastOwner implements Owner {
        /** Null if nothing was told, or there never was one. */
        public FencingToken token;

        @Override
        public void owned(FencingToken found) {
            token = found;
        }

        @Override
        public void ownedElsewhere(FencingToken found) {}

        @Override
        public void nothingWaits() {}
    }

    public static ClaimLimits limits(int partitions, int messages, long bytes) {
        return new ClaimLimits(PartitionRange.ALL, partitions, messages, bytes);
    }
}
