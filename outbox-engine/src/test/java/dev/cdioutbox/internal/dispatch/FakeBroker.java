package dev.cdioutbox.internal.dispatch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/** A broker that delivers messages at the commit, and fails on demand. */
public final class FakeBroker implements OutboxPublisher {
    /** A test may read this list while other nodes deliver. */
    public final List<OutboxMessage> delivered = new CopyOnWriteArrayList<>();

    public final AtomicInteger opened = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();
    public final AtomicInteger probes = new AtomicInteger();
    /** The destinations for which a batch was opened or a probe was made. */
    final Set<DestinationId> aims = ConcurrentHashMap.newKeySet();

    volatile boolean joinsTransactions = true;
    public volatile String away;
    public volatile String probeRefused;
    public volatile boolean isFull;
    /** How often each text was sent, committed or not. */
    public final Map<String, Integer> sends = new ConcurrentHashMap<>();
    /** Called in the transaction of a probe. */
    public volatile ProbeHook onProbe = () -> {};
    /** The texts that are refused at the commit, and not at the send. */
    public final Set<String> refusedAtCommit = ConcurrentHashMap.newKeySet();

    public volatile Hook onSend = message -> {};
    /** The messages that never reach the broker, although they are sent. */
    volatile Predicate<OutboxMessage> leavesOut = message -> false;

    /** Called before a sender is opened. */
    public volatile Runnable onOpen = () -> {};
    /** Answers when a batch is completed. */
    public volatile Completion onComplete = sent -> Map.of();

    /** Answers the id of a message. */
    public volatile Function<OutboxMessage, String> idOf = message -> null;

    /** Called when a sender is closed. */
    public volatile Runnable onClose = () -> {};

    /** Called when the message is already part of the transaction. */
    public volatile Hook afterSend = message -> {};

    private final List<OutboxMessage> prepared = new ArrayList<>();
    private final ThreadLocal<List<OutboxMessage>> staged = ThreadLocal.withInitial(ArrayList::new);

    public static PublishException failure(Blame blame) {
        return new PublishException(blame, "refused by " + blame, null);
    }

    /** Returns the messages that were delivered since the last call. */
    List<OutboxMessage> taken() {
        synchronized (delivered) {
            List<OutboxMessage> taken = List.copyOf(delivered);
            delivered.clear();
            return taken;
        }
    }

    public List<String> texts() {
        return delivered.stream().map(FakeBroker::text).toList();
    }

    @Override
    public boolean joinsTransactions() {
        return joinsTransactions;
    }

    @Override
    public Sender open(DestinationId destination) throws PublishException {
        if (away != null) {
            throw new PublishException(Blame.DESTINATION, away, null);
        }
        onOpen.run();
        opened.incrementAndGet();
        aims.add(destination);
        return new Sender() {
            @Override
            public void send(OutboxMessage message) throws PublishException {
                sends.merge(text(message), 1, Integer::sum);
                onSend.send(message);
                if (!leavesOut.test(message)) {
                    staged.get().add(message);
                }
                afterSend.send(message);
            }

            @Override
            public Map<OutboxMessage, PublishException> complete() throws PublishException {
                return onComplete.complete(List.copyOf(staged.get()));
            }

            @Override
            public String brokerMessageId(OutboxMessage message) {
                return idOf.apply(message);
            }

            @Override
            public void close() {
                closed.incrementAndGet();
                onClose.run();
            }
        };
    }

    @Override
    public void checkRoom(DestinationId destination) throws PublishException {
        if (isFull) {
            throw failure(Blame.DESTINATION_FULL);
        }
    }

    @Override
    public void probe(DestinationId destination) throws PublishException {
        probes.incrementAndGet();
        aims.add(destination);
        String why = away == null ? probeRefused : away;
        if (why != null) {
            throw new PublishException(Blame.DESTINATION, why, null);
        }
        onProbe.probe();
    }

    /** The number of messages in the current transaction. */
    int staged() {
        return staged.get().size();
    }

    boolean refusesTheCommit() {
        return staged.get().stream().anyMatch(message -> refusedAtCommit.contains(text(message)));
    }

    void commit() {
        deliver(staged.get());
        staged.remove();
    }

    /** Prepares the messages of the transaction. From here on, the broker cannot be reached. */
    void prepare() {
        prepared.addAll(staged.get());
        away = "the broker died";
    }

    void commitPrepared() {
        deliver(prepared);
        prepared.clear();
    }

    void rollbackPrepared() {
        prepared.clear();
    }

    private void deliver(List<OutboxMessage> messages) {
        synchronized (delivered) {
            delivered.addAll(messages);
        }
    }

    void rollback() {
        staged.remove();
    }

    public interface Hook {
        void send(OutboxMessage message) throws PublishException;
    }

    /** Returns the failures of the messages that were sent. */
    public interface Completion {
        Map<OutboxMessage, PublishException> complete(List<OutboxMessage> sent) throws PublishException;
    }

    public interface ProbeHook {
        void probe() throws PublishException;
    }

    /** Of bytes, what they are as a text. */
    private static String text(OutboxMessage message) {
        OutboxPayload payload = message.body().payload();
        return payload.isBinary() ? new String(payload.toBytes(), StandardCharsets.UTF_8) : payload.text();
    }
}
