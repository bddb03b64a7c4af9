package dev.cdioutbox.testing;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import dev.cdioutbox.testing.PublisherContract.Received;

/** A transport in memory that keeps the contract of publishers, or breaks one promise. */
final class MemoryTransport implements OutboxPublisher {
    static final DestinationId ABSENT = DestinationId.ofDefaultOutbox("absent");
    static final DestinationId FULL = DestinationId.ofDefaultOutbox("full");
    static final String REFUSED = "refused";

    /** How the transport works. */
    enum Kind {
        /** Confirms each send, in the transaction of the delivery. */
        SYNCHRONOUS,
        /** Confirms the batch, in the transaction of the delivery. */
        ASYNCHRONOUS,
        /** Confirms the batch, in a transaction of its own. */
        OWN_TRANSACTIONS,
        /** Confirms the batch, and cannot take back what was sent. */
        NO_TRANSACTIONS
    }

    /** What the transport does wrong. */
    enum Fault {
        NONE,
        REVERSES_A_BATCH,
        SENDS_TWICE,
        SENDS_ASCII,
        SENDS_NO_BYTES,
        SENDS_THE_TYPE_AS_KEY,
        SENDS_THE_PLACE_IN_THE_ORDER_AS_KEY,
        SENDS_TO_THE_DESTINATION_OF_THE_EVENT,
        LEAVES_HEADERS_OUT,
        HAS_ONE_BATCH_AT_A_TIME,
        CANNOT_CLOSE_WITHOUT_A_MESSAGE,
        RETURNS_THE_LAST_ID,
        BEGINS_IDS_ANEW,
        HIDES_A_REFUSAL,
        COMPLETES_WITH_NULL,
        BLAMES_THE_LAST_MESSAGE,
        BLAMES_ALL_MESSAGES,
        BLAMES_THE_DESTINATION,
        KEEPS_THE_OTHERS_OF_A_REFUSED_BATCH,
        GOES_ON_AFTER_A_REFUSED_MESSAGE,
        DROPS_WHAT_IT_CANNOT_REACH,
        BLAMES_MESSAGES_IN_AN_OUTAGE,
        TREATS_FULL_AS_UNKNOWN,
        COMPLETES_AT_CLOSE,
        COMMITS_AT_ONCE,
        PROBES_WITH_A_MESSAGE,
        CANNOT_PROBE_WHILE_IT_SENDS,
        ANSWERS_FOR_WHAT_IS_ABSENT,
        FORGETS_ITS_MARKERS,
        LETS_EARLIER_SENDERS_COMMIT
    }

    private final Kind kind;
    private final Fault fault;
    private final List<Received> arrived = Collections.synchronizedList(new ArrayList<>());
    private final ThreadLocal<List<Received>> staged = ThreadLocal.withInitial(ArrayList::new);
    private final Map<String, Marker> markers = new HashMap<>();
    private final Map<String, Integer> takeOvers = new HashMap<>();
    private List<OutboxMessage> batch = new ArrayList<>();
    private int opened;

    private record Committed(long number, Map<Long, UUID> messages) implements Marker {}

    MemoryTransport(Kind kind, Fault fault) {
        this.kind = kind;
        this.fault = fault;
    }

    void commit() {
        arrived.addAll(staged.get());
        staged.remove();
    }

    void rollback() {
        staged.remove();
    }

    List<Received> receiveUntil(UUID last) {
        List<Received> received = new ArrayList<>();
        while (!arrived.isEmpty()) {
            received.add(arrived.remove(0));
            if (last.equals(received.get(received.size() - 1).id())) {
                return received;
            }
        }
        throw new AssertionError("the message does not come");
    }

    private void deliver(Received message) {
        (joinsTransactions() && fault != Fault.COMMITS_AT_ONCE ? staged.get() : arrived).add(message);
    }

    @Override
    public boolean joinsTransactions() {
        return kind == Kind.SYNCHRONOUS || kind == Kind.ASYNCHRONOUS;
    }

    @Override
    public Sender open(DestinationId destination) throws PublishException {
        if (destination.equals(ABSENT) && fault != Fault.DROPS_WHAT_IT_CANNOT_REACH) {
            boolean isWrong = fault == Fault.BLAMES_MESSAGES_IN_AN_OUTAGE;
            throw new PublishException(isWrong ? Blame.MESSAGE : Blame.DESTINATION, "absent", null);
        }
        opened++;
        batch = new ArrayList<>();
        return new MemorySender(destination, batch);
    }

    @Override
    public boolean writesMarkers() {
        return kind == Kind.OWN_TRANSACTIONS;
    }

    @Override
    public Marker takeOver(DestinationId destination, String memory) {
        takeOvers.merge(memory, 1, Integer::sum);
        return fault == Fault.FORGETS_ITS_MARKERS ? null : markers.get(memory);
    }

    @Override
    public Sender open(DestinationId destination, String memory, long number) {
        opened++;
        List<OutboxMessage> sent = new ArrayList<>();
        int then = takeOvers.get(memory);
        return new MemorySender(destination, sent) {
            @Override
            public Map<OutboxMessage, PublishException> complete() throws PublishException {
                if (takeOvers.get(memory) > then && fault != Fault.LETS_EARLIER_SENDERS_COMMIT) {
                    throw new PublishException(Blame.UNKNOWN, "shut out", null);
                }
                Map<Long, UUID> messages =
                        sent.stream().collect(Collectors.toMap(OutboxMessage::sequence, OutboxMessage::id));
                markers.put(memory, new Committed(number, messages));
                return super.complete();
            }
        };
    }

    @Override
    public void probe(DestinationId destination) throws PublishException {
        if (destination.equals(ABSENT) && fault != Fault.ANSWERS_FOR_WHAT_IS_ABSENT) {
            throw new PublishException(Blame.DESTINATION, "absent", null);
        }
        if (opened > 0 && fault == Fault.CANNOT_PROBE_WHILE_IT_SENDS) {
            throw new PublishException(Blame.DESTINATION, "busy", null);
        }
        if (fault == Fault.PROBES_WITH_A_MESSAGE) {
            deliver(Received.of(null, "probe"));
        }
    }

    private class MemorySender implements Sender {
        private final DestinationId destination;
        private final List<OutboxMessage> own;
        private final Set<String> refusedKeys = new HashSet<>();
        private boolean isCompleted;
        private String lastId;

        MemorySender(DestinationId destination, List<OutboxMessage> own) {
            this.destination = destination;
            this.own = own;
        }

        private List<OutboxMessage> begun() {
            return fault == Fault.HAS_ONE_BATCH_AT_A_TIME ? batch : own;
        }

        @Override
        public void send(OutboxMessage message) throws PublishException {
            if (destination.equals(FULL)) {
                boolean isWrong = fault == Fault.TREATS_FULL_AS_UNKNOWN;
                throw new PublishException(isWrong ? Blame.UNKNOWN : Blame.DESTINATION_FULL, "full", null);
            }
            if (kind == Kind.SYNCHRONOUS && isRefused(message)) {
                throw refusal();
            }
            if (refusedKeys.contains(message.orderingKey())) {
                return;
            }
            if (fault == Fault.SENDS_TO_THE_DESTINATION_OF_THE_EVENT
                    && !message.delivery().destination().equals(destination.name())) {
                return;
            }
            begun().add(message);
            lastId = message.id().toString();
            if (kind != Kind.NO_TRANSACTIONS) {
                return;
            }
            if (!isRefused(message)) {
                deliver(received(message));
            } else if (fault != Fault.GOES_ON_AFTER_A_REFUSED_MESSAGE) {
                refusedKeys.add(message.orderingKey());
            }
        }

        private boolean isRefused(OutboxMessage message) {
            return message.body().payload().equals(OutboxPayload.text(REFUSED));
        }

        private PublishException refusal() {
            boolean isWrong = fault == Fault.BLAMES_THE_DESTINATION;
            return new PublishException(isWrong ? Blame.DESTINATION : Blame.MESSAGE, "refused", null);
        }

        @Override
        public Map<OutboxMessage, PublishException> complete() throws PublishException {
            return deliverAll();
        }

        private Map<OutboxMessage, PublishException> deliverAll() {
            isCompleted = true;
            List<OutboxMessage> taken = new ArrayList<>(begun());
            taken.removeIf(this::isRefused);
            Map<OutboxMessage, PublishException> failures = failures(taken);
            if (kind != Kind.NO_TRANSACTIONS
                    && (failures.isEmpty() || fault == Fault.KEEPS_THE_OTHERS_OF_A_REFUSED_BATCH)) {
                deliver(taken);
            }
            return fault == Fault.COMPLETES_WITH_NULL ? null : failures;
        }

        private Map<OutboxMessage, PublishException> failures(List<OutboxMessage> taken) {
            Map<OutboxMessage, PublishException> failures = new HashMap<>();
            if (taken.size() == begun().size() || fault == Fault.HIDES_A_REFUSAL) {
                return failures;
            }
            if (fault == Fault.BLAMES_THE_LAST_MESSAGE) {
                failures.put(begun().get(begun().size() - 1), refusal());
                return failures;
            }
            begun().stream()
                    .filter(message -> isRefused(message) || fault == Fault.BLAMES_ALL_MESSAGES)
                    .forEach(message -> failures.put(message, refusal()));
            return failures;
        }

        private void deliver(List<OutboxMessage> messages) {
            if (fault == Fault.REVERSES_A_BATCH) {
                Collections.reverse(messages);
            }
            messages.forEach(message -> deliver(received(message)));
            if (fault == Fault.SENDS_TWICE) {
                messages.forEach(message -> deliver(received(message)));
            }
        }

        private void deliver(Received message) {
            MemoryTransport.this.deliver(message);
        }

        private Received received(OutboxMessage message) {
            return Received.of(
                    message.id(),
                    payload(message.body().payload()),
                    key(message),
                    fault == Fault.LEAVES_HEADERS_OUT
                            ? Map.of()
                            : message.context().headers());
        }

        private OutboxPayload payload(OutboxPayload payload) {
            return switch (fault) {
                case SENDS_ASCII -> OutboxPayload.text(new String(payload.toBytes(), US_ASCII));
                case SENDS_NO_BYTES -> payload.isBinary() ? OutboxPayload.text("") : payload;
                default -> payload;
            };
        }

        private String key(OutboxMessage message) {
            return switch (fault) {
                case SENDS_THE_TYPE_AS_KEY -> message.event().type();
                case SENDS_THE_PLACE_IN_THE_ORDER_AS_KEY -> message.orderingKey();
                default -> message.event().key();
            };
        }

        @Override
        public String brokerMessageId(OutboxMessage message) {
            return switch (fault) {
                case RETURNS_THE_LAST_ID -> lastId;
                case BEGINS_IDS_ANEW -> String.valueOf(own.indexOf(message));
                default -> message.id().toString();
            };
        }

        @Override
        public void close() {
            opened--;
            if (begun().isEmpty() && fault == Fault.CANNOT_CLOSE_WITHOUT_A_MESSAGE) {
                throw new IllegalStateException("nothing was sent");
            }
            if (!isCompleted && fault == Fault.COMPLETES_AT_CLOSE) {
                deliverAll();
            }
        }
    }
}
