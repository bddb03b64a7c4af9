package dev.cdioutbox.testing;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.OutboxPublisher.Marker;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The promises of an {@link OutboxPublisher}, as tests for JUnit 5. They call the publisher as the dispatcher does, and
 * receive what a consumer would. A subclass tells how to reach the publisher and its transport:
 *
 * <pre>{@code
 * class ParcelPublisherTest extends PublisherContract {
 *     private final ParcelPublisher publisher = new ParcelPublisher("localhost:4711");
 *     private final ParcelConsumer consumer = new ParcelConsumer("localhost:4711", "parcels");
 *
 *     protected OutboxPublisher publisher() {
 *         return publisher;
 *     }
 *
 *     protected DestinationId destination() {
 *         return DestinationId.ofDefaultOutbox("parcels");
 *     }
 *
 *     protected DestinationId absentDestination() {
 *         return DestinationId.ofDefaultOutbox("nowhere");
 *     }
 *
 *     protected List<Received> receiveUntil(UUID last) {
 *         return consumer.receiveUntil(last);
 *     }
 * }
 * }</pre>
 *
 * <p>The tests of a promise that a transport cannot keep are skipped: {@link
 * OutboxPublisher#joinsTransactions}, {@link #takesBack}, {@link #takesBytes}, {@link #refused} and {@link #fullDestination}.
 */
public abstract class PublisherContract {
    private static final int BATCHES = 3;
    private static final int MESSAGES = 100;
    private static final int KEYS = 7;
    private static final int LONG_TEXT = 50_000;
    private static final Map<String, String> HEADERS = Map.of("contract", "a header");

    private final AtomicLong sequence = new AtomicLong(System.nanoTime());

    /** For subclasses. */
    protected PublisherContract() {}

    /** A message as a consumer has received it. */
    public interface Received {

        /**
         * A message for the contract.
         *
         * @param id the id of the {@link OutboxMessage}; null for anything that is none
         * @param text the text of its body
         * @return the message
         */
        static Received of(@Nullable UUID id, String text) {
            return of(id, OutboxPayload.text(text), null, null);
        }

        /**
         * A message for the contract, of which key and headers are checked too.
         *
         * @param id the id of the {@link OutboxMessage}; null for anything that is none
         * @param payload its body; of a transport that does not distinguish them, text or bytes
         * @param key as for {@link #key}
         * @param headers as for {@link #headers}
         * @return the message
         */
        static Received of(
                @Nullable UUID id, OutboxPayload payload, @Nullable String key, @Nullable Map<String, String> headers) {
            return new ReceivedMessage(id, payload, key, headers);
        }

        /**
         * The id of the {@link OutboxMessage}.
         *
         * @return null for anything that is none
         */
        @Nullable
        UUID id();

        /**
         * The body.
         *
         * @return as the consumer has got it
         */
        OutboxPayload payload();

        /**
         * The key of the event.
         *
         * @return as the consumer has got it; null for each message if the contract should not check keys
         */
        default @Nullable String key() {
            return null;
        }

        /**
         * The headers.
         *
         * @return at least those of {@link OutboxMessage.Context#headers}; null if the contract should not check them
         */
        default @Nullable Map<String, String> headers() {
            return null;
        }
    }

    private record ReceivedMessage(UUID id, OutboxPayload payload, String key, Map<String, String> headers)
            implements Received {}

    /**
     * The publisher under test.
     *
     * @return the same one in each call of a test
     */
    protected abstract OutboxPublisher publisher();

    /**
     * A destination that only this test receives from.
     *
     * @return its id
     */
    protected abstract DestinationId destination();

    /**
     * A destination that the transport does not have, or cannot reach.
     *
     * @return its id
     */
    protected abstract DestinationId absentDestination();

    /**
     * Receives from {@link #destination} until a message has come, outside of the transactions of the test.
     *
     * @param last the id of that message
     * @return what has come since the last call, in the order of arrival, with the last message
     * @throws Exception if the message does not come in time
     */
    protected abstract List<Received> receiveUntil(UUID last) throws Exception;

    /**
     * Whether the transport can take back a batch that is not completed, or of which a message failed. Override it for a
     * transport with transactions of its own.
     *
     * @return what {@link OutboxPublisher#joinsTransactions} returns, unless overridden
     */
    protected boolean takesBack() {
        return publisher().joinsTransactions();
    }

    /**
     * Whether the transport takes bytes as well as texts.
     *
     * @return true, unless overridden
     */
    protected boolean takesBytes() {
        return true;
    }

    /**
     * Makes a message that the transport refuses, because it is too large for example.
     *
     * @param message a message that the transport takes
     * @return a message with the same id, sequence and key; null if the transport takes any message
     */
    @Nullable
    protected OutboxMessage refused(OutboxMessage message) {
        return null;
    }

    /**
     * The same message with another text, for {@link #refused}.
     *
     * @param message the message
     * @param text the text
     * @return a new message
     */
    protected static OutboxMessage withText(OutboxMessage message, String text) {
        return new StoredMessage(
                message.sequence(),
                message.id(),
                message.event(),
                body(text),
                message.context(),
                message.terms(),
                message.delivery(),
                message.occurredAt(),
                message.createdAt());
    }

    private static OutboxMessage withBytes(OutboxMessage message, byte[] bytes) {
        return new StoredMessage(
                message.sequence(),
                message.id(),
                message.event(),
                new StoredMessage.Body("application/octet-stream", OutboxPayload.binary(bytes)),
                message.context(),
                message.terms(),
                message.delivery(),
                message.occurredAt(),
                message.createdAt());
    }

    private static OutboxMessage.Body body(String text) {
        return new StoredMessage.Body("text/plain", OutboxPayload.text(text));
    }

    /**
     * Whom the publisher blames for a {@link #refused} message. It need not translate a {@link LinkageError} or a {@link
     * java.util.ServiceConfigurationError}: the dispatcher takes each for a fault of the node, and charges no message.
     *
     * @return {@link Blame#MESSAGE}, or {@link Blame#UNKNOWN} if the transport does not tell why it refuses a message
     */
    protected Blame blameOfRefused() {
        return Blame.MESSAGE;
    }

    /**
     * A destination that has no room for a message.
     *
     * @return its id; null if that cannot be, or not be told
     */
    @Nullable
    protected DestinationId fullDestination() {
        return null;
    }

    /**
     * Begins a JTA transaction on this thread. Override it, {@link #commit} and {@link #rollback} if the publisher joins
     * such transactions.
     *
     * @throws Exception if there is none
     */
    protected void begin() throws Exception {
        requireNoTransaction();
    }

    /**
     * Commits the transaction of this thread.
     *
     * @throws Exception if it rolls back
     */
    protected void commit() throws Exception {
        requireNoTransaction();
    }

    /**
     * Rolls the transaction of this thread back.
     *
     * @throws Exception if that is not possible
     */
    protected void rollback() throws Exception {
        requireNoTransaction();
    }

    private void requireNoTransaction() {
        if (publisher().joinsTransactions()) {
            throw new UnsupportedOperationException(
                    "the publisher joins JTA transactions, so override begin(), commit() and rollback()");
        }
    }

    /**
     * The threads of the dispatcher.
     *
     * @return an executor that does not use the calling thread
     */
    protected Executor threads() {
        return task -> new Thread(task, "outbox publisher contract").start();
    }

    /** Consumers of a key see its messages in the order of the commits of their writers, each one once. */
    @Test
    public final void messagesOfAKeyArriveOnceAndInOrder() throws Exception {
        List<OutboxMessage> all = new ArrayList<>();
        for (int batch = 0; batch < BATCHES; batch++) {
            List<OutboxMessage> some = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                some.add(message("key " + i % KEYS, batch + "/" + i));
            }
            deliver(some);
            all.addAll(some);
        }

        assertArrived(all);
    }

    /** The text of the event is the consumer's, whatever it contains, and so are key and headers. */
    @Test
    public final void textsArriveUnchanged() throws Exception {
        List<OutboxMessage> all = List.of(
                message("a", ""),
                message("a", "ä ß 🫖 'quoted' \"twice\"\nline"),
                message("a", "x".repeat(LONG_TEXT)),
                delayed("of a delayed message, which has a key but no place in its order"));
        deliver(all);

        assertArrived(all);
    }

    /** The payload of an event may be bytes, with any of them. */
    @Test
    public final void bytesArriveUnchanged() throws Exception {
        assumeTrue(takesBytes(), "the transport takes texts only");
        List<OutboxMessage> all = List.of(
                withBytes(message("a", ""), new byte[] {0, 1, '\n', 'a', '{'}),
                message("a", "a text of the same batch"));
        deliver(all);

        assertArrived(all);
    }

    /** A publisher serves several destinations and several threads of one destination. */
    @Test
    public final void batchesOfTwoThreadsDoNotMix() throws Exception {
        OutboxMessage first = message("a", "first");
        OutboxMessage other = message("b", "of the other thread");
        OutboxMessage last = message("a", "last");
        thenCommit(() -> {
            try (Sender sender = publisher().open(destination())) {
                sender.send(first);
                onAnotherThread(() -> deliver(List.of(other)));
                sender.send(last);
                assertEquals(Map.of(), complete(sender), "failures of messages that the transport takes");
            }
        });

        assertArrived(List.of(first, other, last));
    }

    /** All messages of a batch may have expired. */
    @Test
    public final void senderThatSendsNothingLeavesTheTransactionAlone() throws Exception {
        thenCommit(() -> publisher().open(destination()).close());

        assertArrived(List.of());
    }

    /** Otherwise the settlement would store the id of another message. */
    @Test
    public final void idsOfTheTransportAreThoseOfTheMessage() throws Exception {
        List<OutboxMessage> all = List.of(message("a", "1"), message("b", "2"), message("a", "3"), message("b", "4"));
        List<String> ids = new ArrayList<>();
        for (List<OutboxMessage> batch : List.of(all.subList(0, 3), all.subList(3, 4))) {
            thenCommit(() -> {
                try (Sender sender = publisher().open(destination())) {
                    for (OutboxMessage message : batch) {
                        sender.send(message);
                    }
                    complete(sender);
                    batch.forEach(message -> ids.add(sender.brokerMessageId(message)));
                }
            });
        }

        assertArrived(all);
        ids.removeIf(Objects::isNull);
        assertEquals(ids.size(), new HashSet<>(ids).size(), () -> "two messages have one id: " + ids);
    }

    /**
     * After a crash, the dispatcher settles what the last marker names, and sends the rest. Without {@link
     * OutboxPublisher#writesMarkers}, there is nothing to check.
     */
    @Test
    public final void markerIsThatOfTheLastBatchAndEarlierSendersAreShutOut() throws Exception {
        if (!publisher().writesMarkers()) {
            return;
        }
        String memory = UUID.randomUUID().toString();
        assertNull(publisher().takeOver(destination(), memory), "the marker of a new memory");
        OutboxMessage first = message("a", "first");
        OutboxMessage last = message("a", "last");
        completeMarked(memory, 0);
        completeMarked(memory, 1, first);
        try (Sender earlier = publisher().open(destination(), memory, 2)) {
            earlier.send(message("a", "of a process that another one has replaced"));
            Marker marker = publisher().takeOver(destination(), memory);
            assertEquals(1, marker.number());
            assertEquals(Map.of(first.sequence(), first.id()), marker.messages());
            assertThrows(PublishException.class, earlier::complete, "a sender that was shut out has committed");
        }
        completeMarked(memory, 2, last);

        assertArrived(List.of(first, last));
    }

    private void completeMarked(String memory, long number, OutboxMessage... messages) throws Exception {
        try (Sender sender = publisher().open(destination(), memory, number)) {
            for (OutboxMessage each : messages) {
                sender.send(each);
            }
            assertEquals(Map.of(), complete(sender), "failures of messages that the transport takes");
        }
    }

    /** The dispatcher charges the message that is at fault, and sends the others. */
    @Test
    public final void refusedMessageIsToBlameAndNoOther() throws Exception {
        OutboxMessage bad = refused(message("b", "refused"));
        assumeTrue(bad != null, "the transport takes any message");
        OutboxMessage first = message("a", "first");
        OutboxMessage before = message("b", "before the refused one");
        OutboxMessage last = message("a", "last");

        Delivery delivery = deliver(destination(), List.of(first, before, bad, last));

        assertEquals(Map.of(bad.id(), blameOfRefused()), delivery.blames());
        if (!delivery.isCommitted()) {
            deliver(List.of(first, before, last));
        }
        assertArrived(List.of(first, before, last));
    }

    /** Otherwise a consumer would get it before the refused one, which is sent again. */
    @Test
    public final void noMessageOvertakesARefusedOneOfItsKey() throws Exception {
        OutboxMessage bad = refused(message("b", "refused"));
        assumeTrue(bad != null, "the transport takes any message");
        OutboxMessage first = message("a", "first");
        OutboxMessage later = message("b", "later than the refused one");
        OutboxMessage last = message("a", "last");

        Delivery delivery = deliver(destination(), List.of(first, bad, later, last));

        if (!delivery.isCommitted()) {
            deliver(List.of(first, last));
        }
        assertArrived(List.of(first, last));
    }

    /** An outage charges no message. */
    @Test
    public final void absentDestinationIsToBlameForItself() throws Exception {
        Delivery delivery = deliver(absentDestination(), List.of(message("a", "1"), message("b", "2")));

        assertFalse(delivery.isCommitted(), "the messages count as sent");
        assertEquals(Set.of(Blame.DESTINATION), Set.copyOf(delivery.blames().values()));
    }

    /** A destination without room charges no message, and keeps what it has taken. */
    @Test
    public final void fullDestinationSaysSo() throws Exception {
        assumeTrue(fullDestination() != null, "the transport has no full destination");

        Delivery delivery = deliver(fullDestination(), List.of(message("a", "1")));

        assertEquals(
                Set.of(Blame.DESTINATION_FULL), Set.copyOf(delivery.blames().values()));
    }

    /** The dispatcher sends the batch again, in another transaction. */
    @Test
    public final void batchThatIsNotCompletedNeverArrives() throws Exception {
        assumeTrue(takesBack(), "the transport cannot take messages back");
        thenRollBack(() -> {
            try (Sender sender = publisher().open(destination())) {
                sender.send(message("a", "not completed"));
            }
        });

        assertArrived(List.of());
    }

    /** With exactly-once, the rows of such a batch still wait. */
    @Test
    public final void batchOfATransactionThatRollsBackNeverArrives() throws Exception {
        assumeTrue(publisher().joinsTransactions(), "the transport does not join transactions");
        thenRollBack(() -> {
            try (Sender sender = publisher().open(destination())) {
                sender.send(message("a", "rolled back"));
                complete(sender);
            }
        });

        assertArrived(List.of());
    }

    /** The dispatcher probes before the first batch. */
    @Test
    public final void probeReachesNoConsumer() throws Exception {
        thenCommit(() -> publisher().probe(destination()));

        assertArrived(List.of());
    }

    /** After a failed send, the dispatcher probes while the sender is open. */
    @Test
    public final void probeAnswersBesideAnOpenSender() throws Exception {
        thenRollBack(() -> {
            try (Sender sender = publisher().open(destination())) {
                if (takesBack()) {
                    sender.send(message("a", "taken back"));
                }
                publisher().probe(destination());
            }
        });

        assertArrived(List.of());
    }

    /** Otherwise an outage would be charged to the messages. */
    @Test
    public final void probeOfAnAbsentDestinationFails() throws Exception {
        thenRollBack(
                () -> assertThrows(PublishException.class, () -> publisher().probe(absentDestination())));
    }

    private OutboxMessage message(String key, String text) {
        return message(key, text, StoredMessage.Terms.NONE);
    }

    private OutboxMessage delayed(String text) {
        return message("delayed", text, new StoredMessage.Terms(Instant.now(), null, null, null));
    }

    private OutboxMessage message(String key, String text, OutboxMessage.Terms terms) {
        Instant now = Instant.now();
        return new StoredMessage(
                sequence.incrementAndGet(),
                UUID.randomUUID(),
                new StoredMessage.Event("PublisherContract", 1, null, key),
                body(text),
                new StoredMessage.Context(null, null, null, HEADERS),
                terms,
                // With a shadow destination, a message is not sent to its own one.
                new StoredMessage.Delivery(
                        "another destination", OutboxStatus.PENDING, 0, null, null, null, null, null),
                now,
                now);
    }

    /**
     * What became of a batch.
     *
     * @param blames by the ids of the messages that failed; null is the id of a batch that failed as a whole
     */
    private record Delivery(Map<UUID, Blame> blames, boolean isCommitted) {}

    private void deliver(List<OutboxMessage> messages) throws Exception {
        Delivery delivery = deliver(destination(), messages);
        assertEquals(Map.of(), delivery.blames(), "failures of messages that the transport takes");
    }

    /** Sends a batch as the dispatcher does. */
    private Delivery deliver(DestinationId destination, List<OutboxMessage> messages) throws Exception {
        Map<UUID, Blame> blames = new HashMap<>();
        begin();
        boolean isSent = false;
        try {
            isSent = send(destination, messages, blames);
        } catch (PublishException e) {
            blames.put(null, e.blame());
        } finally {
            end(isSent);
        }
        return new Delivery(blames, isSent);
    }

    private void thenCommit(Work work) throws Exception {
        begin();
        boolean isDone = false;
        try {
            work.run();
            isDone = true;
        } finally {
            end(isDone);
        }
    }

    private void thenRollBack(Work work) throws Exception {
        begin();
        try {
            work.run();
        } finally {
            rollback();
        }
    }

    private void end(boolean commits) throws Exception {
        if (commits) {
            commit();
        } else {
            rollback();
        }
    }

    /** @return whether the transaction may commit */
    private boolean send(DestinationId destination, List<OutboxMessage> messages, Map<UUID, Blame> blames)
            throws PublishException {
        try (Sender sender = publisher().open(destination)) {
            Set<String> blockedKeys = new HashSet<>();
            int sent = 0;
            for (OutboxMessage message : messages) {
                if (blockedKeys.contains(message.orderingKey())) {
                    continue;
                }
                try {
                    sender.send(message);
                    sent++;
                } catch (PublishException e) {
                    blames.put(message.id(), e.blame());
                    blockedKeys.add(message.orderingKey());
                }
            }
            // What the transport has no part of does not keep it from committing the others.
            if (sent == 0 || !Set.of(Blame.MESSAGE, Blame.DESTINATION_FULL).containsAll(blames.values())) {
                return false;
            }
            Map<OutboxMessage, PublishException> failures = complete(sender);
            failures.forEach((message, failure) -> blames.put(message.id(), failure.blame()));
            return failures.isEmpty();
        }
    }

    private static Map<OutboxMessage, PublishException> complete(Sender sender) throws PublishException {
        return Objects.requireNonNull(
                sender.complete(), "complete() returned null; an empty map means that all is sent");
    }

    /**
     * Asserts that these messages are all that has come: each one once, and those of a key in order. A last message of
     * each key shows that no other one will come.
     */
    private void assertArrived(List<OutboxMessage> sent) throws Exception {
        Map<UUID, String> keys = new HashMap<>();
        sent.forEach(message -> keys.put(message.id(), message.event().key()));
        List<OutboxMessage> last = new ArrayList<>();
        Set<String> some = keys.isEmpty() ? Set.of("a") : Set.copyOf(keys.values());
        some.forEach(key -> last.add(message(key, "the last one")));
        deliver(last);
        last.forEach(message -> keys.put(message.id(), message.event().key()));

        List<Received> received = new ArrayList<>();
        for (OutboxMessage message : last) {
            if (received.stream().noneMatch(each -> message.id().equals(each.id()))) {
                received.addAll(receiveUntil(message.id()));
            }
        }

        assertTrue(
                received.stream().allMatch(message -> keys.containsKey(message.id())),
                () -> "messages that were not sent, or that a rollback took back: " + received);
        boolean hasKeys = received.stream().anyMatch(message -> message.key() != null);
        received.forEach(message -> assertKeyAndHeaders(message, hasKeys ? keys.get(message.id()) : null));
        Stream<Received> expected = Stream.concat(sent.stream(), last.stream())
                .map(message -> Received.of(message.id(), message.body().payload(), null, null));
        // A transport that cannot take back a batch sends it twice if a message fails.
        Stream<Received> actual =
                takesBack() ? received.stream() : received.stream().distinct();
        assertEquals(byKey(expected, keys), byKey(actual, keys));
    }

    /** @param key null if the consumer does not tell keys */
    private static void assertKeyAndHeaders(Received message, @Nullable String key) {
        assertEquals(key, message.key(), () -> "the key of " + message);
        if (message.headers() != null) {
            Map<String, String> headers = new HashMap<>(message.headers());
            headers.keySet().retainAll(HEADERS.keySet());
            assertEquals(HEADERS, headers, () -> "the headers of " + message);
        }
    }

    private static Map<String, List<String>> byKey(Stream<Received> messages, Map<UUID, String> keys) {
        return messages.collect(
                groupingBy(message -> keys.get(message.id()), mapping(PublisherContract::text, toList())));
    }

    /** Bytes are compared as a text, since some consumers do not know what they were. */
    private static String text(Received message) {
        return new String(message.payload().toBytes(), StandardCharsets.UTF_8);
    }

    private void onAnotherThread(Work work) {
        CompletableFuture.runAsync(
                        () -> {
                            try {
                                work.run();
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        threads())
                .join();
    }

    private interface Work {
        void run() throws Exception;
    }
}
