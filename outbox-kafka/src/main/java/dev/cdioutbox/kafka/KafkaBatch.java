package dev.cdioutbox.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.internal.transport.Traces;
import dev.cdioutbox.internal.transport.Traces.SendSpan;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * A batch, in one Kafka transaction, which is aborted if any message fails. A producer without transactions would deliver the
 * later messages of a key although an earlier one has failed.
 */
final class KafkaBatch implements Sender {
    private static final Logger LOG = Logger.getLogger(KafkaBatch.class.getName());

    /** Each waits for max.block.ms at most. */
    private static final int COMMITS = 3;

    private final DestinationId destination;
    private final KafkaTopic topic;
    private final MessageOptions options;
    private final Traces traces;
    private final Producer<byte[], byte[]> producer;
    private final Consumer<Boolean> giveBack;
    /** Creates the record that the transaction ends with, from the messages that it has sent; null for none. */
    private final Function<Stream<OutboxMessage>, ProducerRecord<byte[], byte[]>> marker;

    private final List<Sent> sent = new ArrayList<>();
    private final Map<Long, String> ids = new HashMap<>();
    private boolean isOpen;
    /** Why the transaction has to be aborted. */
    private Throwable failure;

    /** @param message null for the marker */
    private record Sent(OutboxMessage message, Future<RecordMetadata> answer) {}

    KafkaBatch(
            DestinationId destination,
            KafkaTopic topic,
            MessageOptions options,
            Traces traces,
            Producer<byte[], byte[]> producer,
            Consumer<Boolean> giveBack,
            Function<Stream<OutboxMessage>, ProducerRecord<byte[], byte[]>> marker) {
        this.destination = destination;
        this.topic = topic;
        this.options = options;
        this.traces = traces;
        this.producer = producer;
        this.giveBack = giveBack;
        this.marker = marker;
    }

    @Override
    public void send(OutboxMessage message) throws PublishException {
        try (SendSpan span = traces.sending(
                message, destination, KafkaPublisher.TRANSPORT, topic.config().address())) {
            try {
                ProducerRecord<byte[], byte[]> event =
                        RecordMapping.toRecord(message, topic.config(), options, span.headers());
                requireFitting(message, RecordMapping.size(event));
                send(message, event);
            } catch (PublishException | RuntimeException e) {
                span.failed(e);
                throw e;
            }
        }
    }

    private void send(OutboxMessage message, ProducerRecord<byte[], byte[]> event) throws PublishException {
        if (failure != null) {
            // Kafka accepts no more, and would wait again for a topic that it has not found.
            return;
        }
        if (!isOpen) {
            producer.beginTransaction();
            isOpen = true;
        }
        try {
            Sent next = new Sent(message, producer.send(event));
            sent.add(next);
            if (next.answer().isDone()) {
                failure = failureOf(next);
            }
        } catch (KafkaException e) {
            failure = e;
        }
    }

    /** In the client, or at the broker, a message that is too large would fail the transaction, and so all others. */
    private void requireFitting(OutboxMessage message, long size) throws PublishException {
        try {
            if (topic.takes(size)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PublishException(
                    Blame.DESTINATION, OutboxCode.KAFKA_SEND_FAILED.text(message.id(), destination), e);
        } catch (Exception e) {
            throw refused(message, e);
        }
        throw new PublishException(
                Blame.MESSAGE,
                OutboxCode.KAFKA_TOO_LARGE.text(
                        message.id(), size, topic.config().address(), topic.largestKnown()),
                null);
    }

    private PublishException refused(OutboxMessage message, Throwable cause) {
        return failed(cause, OutboxCode.KAFKA_SEND_FAILED.text(message.id(), destination));
    }

    /** @param refused what to say if Kafka has answered. The client repeats what may succeed later, until its time-out */
    private PublishException failed(Throwable cause, String refused) {
        String text = cause instanceof RetriableException ? topic.unavailable(destination) : refused;
        return new PublishException(KafkaFailure.blame(cause), text, cause);
    }

    @Override
    public Map<OutboxMessage, PublishException> complete() throws PublishException {
        if (marker != null) {
            send(null, marker.apply(sent.stream().map(Sent::message)));
        }
        producer.flush();
        Map<OutboxMessage, PublishException> failures = new HashMap<>();
        for (Sent each : sent) {
            Throwable cause = failureOf(each);
            // What is not the message's own fault is that of another message, of the destination or of the transaction.
            if (cause != null && each.message() != null && KafkaFailure.blame(cause) == Blame.MESSAGE) {
                failures.put(each.message(), refused(each.message(), cause));
            }
            if (cause != null && (failure == null || KafkaFailure.blame(cause) == Blame.DESTINATION)) {
                failure = cause;
            }
        }
        if (failures.isEmpty()) {
            commit();
        }
        return failures;
    }

    /** Notes the id of a message that is sent. */
    private Throwable failureOf(Sent each) throws PublishException {
        try {
            RecordMetadata place = each.answer().get();
            if (each.message() != null) {
                ids.put(each.message().sequence(), place.topic() + "-" + place.partition() + "@" + place.offset());
            }
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PublishException(Blame.DESTINATION, OutboxCode.KAFKA_BATCH_FAILED.text(destination), e);
        }
    }

    /** A commit that has timed out can be repeated, but not taken back. */
    private void commit() throws PublishException {
        for (int commits = 1; failure == null && isOpen; commits++) {
            try {
                producer.commitTransaction();
                isOpen = false;
            } catch (TimeoutException e) {
                failure = commits < COMMITS ? null : e;
            } catch (KafkaException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failed(failure, OutboxCode.KAFKA_BATCH_FAILED.text(destination));
        }
    }

    /** The topic, the partition and the offset: orders-3@4711. */
    @Override
    public String brokerMessageId(OutboxMessage message) {
        return ids.get(message.sequence());
    }

    @Override
    public void close() {
        try {
            if (isOpen) {
                producer.abortTransaction();
            }
            if (KafkaFailure.isOfProducer(failure)) {
                Producers.discard(producer);
            } else {
                giveBack.accept(failure != null);
            }
        } catch (KafkaException | IllegalStateException e) {
            LOG.log(Level.FINE, "a transaction is not aborted; the broker does that after its time-out", e);
            Producers.discard(producer);
        }
    }
}
