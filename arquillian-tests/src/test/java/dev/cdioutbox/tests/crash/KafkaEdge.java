package dev.cdioutbox.tests.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Reports the calls to Kafka's publisher to the {@link Breakpoint}. {@link Sends} may refuse or delay a send, and a
 * {@link WrongEngine} reorders them.
 */
final class KafkaEdge implements OutboxPublisher {
    private static final long LATE_MILLIS = 500;

    private final Node node;
    private final Sends sends;
    private final OutboxPublisher kafka;
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();

    KafkaEdge(Node node, Sends sends, OutboxPublisher kafka) {
        this.node = node;
        this.sends = sends;
        this.kafka = kafka;
    }

    @Override
    public boolean joinsTransactions() {
        return kafka.joinsTransactions();
    }

    @Override
    public boolean writesMarkers() {
        return kafka.writesMarkers();
    }

    @Override
    public void probe(DestinationId destination) throws PublishException {
        kafka.probe(destination);
    }

    @Override
    public String describe(DestinationId destination) throws PublishException {
        return kafka.describe(destination);
    }

    @Override
    public Marker takeOver(DestinationId destination, String memory) throws PublishException {
        Marker marker = kafka.takeOver(destination, memory);
        node.breakpoint().reached(Point.TAKEN_OVER);
        return marker;
    }

    @Override
    public Sender open(DestinationId destination) throws PublishException {
        return kafka.open(destination);
    }

    @Override
    public Sender open(DestinationId destination, String memory, long number) throws PublishException {
        if (node.wrong() == WrongEngine.MARKER_APART && number > 0) {
            return new Edge(kafka.open(destination), memory, number);
        }
        return new Edge(kafka.open(destination, memory, number), memory, number);
    }

    private final class Edge implements Sender {
        private final Sender sender;
        private final String memory;
        private final long number;
        private final List<OutboxMessage> sent = new ArrayList<>();
        private boolean isLate;

        Edge(Sender sender, String memory, long number) {
            this.sender = sender;
            this.memory = memory;
            this.number = number;
        }

        @Override
        public void send(OutboxMessage message) throws PublishException {
            if (!sent.isEmpty()) {
                node.breakpoint().reached(Point.MID_SEND);
            }
            if (sends.refuses(message.id().toString(), message.body().text())) {
                throw new PublishException(Blame.UNKNOWN, "The harness refuses this message.", null);
            }
            sender.send(message);
            sent.add(message);
        }

        @Override
        public Map<OutboxMessage, PublishException> complete() throws PublishException {
            if (sent.isEmpty()) {
                return sender.complete();
            }
            node.breakpoint().reached(Point.AFTER_LAST_SEND);
            if (node.wrong() == WrongEngine.SETTLE_BEFORE_COMMIT) {
                isLate = true;
                later.schedule(this::completeLate, LATE_MILLIS, TimeUnit.MILLISECONDS);
                return Map.of();
            }
            Map<OutboxMessage, PublishException> failures = sender.complete();
            node.breakpoint().reached(Point.BETWEEN_COMMITS);
            if (node.wrong() == WrongEngine.MARKER_APART) {
                writeMarker();
            }
            return failures;
        }

        private void completeLate() {
            try (sender) {
                sender.complete();
            } catch (PublishException e) {
                throw new IllegalStateException(e);
            }
        }

        private void writeMarker() {
            StringBuilder text = new StringBuilder(Long.toString(number, Character.MAX_RADIX));
            sent.forEach(message -> text.append(',')
                    .append(Long.toString(message.sequence(), Character.MAX_RADIX))
                    .append(':')
                    .append(message.id()));
            Map<String, Object> settings =
                    Map.of("bootstrap.servers", System.getProperty("outbox.kafka.bootstrap.servers"));
            try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
                producer.send(new ProducerRecord<>("outbox-markers", 0, memory, text.toString()));
            }
        }

        @Override
        public String brokerMessageId(OutboxMessage message) {
            return sender.brokerMessageId(message);
        }

        @Override
        public void close() {
            if (!isLate) {
                sender.close();
            }
        }
    }
}
