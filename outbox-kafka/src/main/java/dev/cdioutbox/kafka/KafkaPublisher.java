package dev.cdioutbox.kafka;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Named;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.transport.Destinations;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.internal.transport.TopicLimits;
import dev.cdioutbox.internal.transport.TopicReader;
import dev.cdioutbox.internal.transport.Traces;
import dev.cdioutbox.internal.transport.TransportDestination;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Publishes to Kafka, each batch in one Kafka transaction. */
@ApplicationScoped
@Named(KafkaPublisher.TRANSPORT)
public class KafkaPublisher implements OutboxPublisher, TopicReader {
    static final String TRANSPORT = "kafka";

    private static final String DEFAULT_DESTINATION = "default";

    private final Destinations destinations;
    private final Traces traces;
    private final Producers producers = new Producers(System::nanoTime);
    private final Admins admins = new Admins();
    private final Map<TransportDestination, KafkaTopic> topics = new ConcurrentHashMap<>();
    /** The destinations with a batch since the start. */
    private final Set<DestinationId> used = ConcurrentHashMap.newKeySet();

    /** For the client proxy. */
    protected KafkaPublisher() {
        this(null, null);
    }

    /**
     * For CDI.
     *
     * @param destinations what is configured
     * @param traces what creates spans
     */
    @Inject
    public KafkaPublisher(Destinations destinations, Traces traces) {
        this.destinations = destinations;
        this.traces = traces;
    }

    /** Kafka's transactions join no JTA transaction. */
    @Override
    public boolean joinsTransactions() {
        return false;
    }

    @Override
    public boolean writesMarkers() {
        return true;
    }

    @Override
    public Marker takeOver(DestinationId destination, String memory) throws PublishException {
        return call(destination, () -> {
            KafkaTopic topic = topic(destination);
            MarkerTopic markers = new MarkerTopic(topic);
            markers.requireCompacted();
            producers.takeOver(destination.toString(), memory, topic.config().client());
            return markers.last(memory);
        });
    }

    @Override
    public Sender open(DestinationId destination) throws PublishException {
        return call(destination, () -> {
            KafkaTopic topic = topic(destination);
            MessageOptions options = options(destination);
            String owner = destination.toString();
            Producer<byte[], byte[]> producer =
                    producers.borrow(owner, topic.config().client());
            return batch(destination, topic, options, owner, producer, null);
        });
    }

    @Override
    public Sender open(DestinationId destination, String memory, long number) throws PublishException {
        return call(destination, () -> {
            KafkaTopic topic = topic(destination);
            MessageOptions options = options(destination);
            MarkerTopic markers = new MarkerTopic(topic);
            return batch(
                    destination,
                    topic,
                    options,
                    memory,
                    Objects.requireNonNull(producers.takeIdle(memory), "it was not taken over"),
                    messages -> markers.toRecord(memory, number, messages));
        });
    }

    private MessageOptions options(DestinationId destination) throws PublishException {
        return destinations.settings(destination).options();
    }

    /** Fails at nothing, since nobody else gives the producer back. */
    private KafkaBatch batch(
            DestinationId destination,
            KafkaTopic topic,
            MessageOptions options,
            String owner,
            Producer<byte[], byte[]> producer,
            Function<Stream<OutboxMessage>, ProducerRecord<byte[], byte[]>> marker) {
        used.add(destination);
        Consumer<Boolean> giveBack = hasFailed -> {
            if (hasFailed) {
                producers.giveBackAfterFailure(owner, producer);
            } else {
                producers.giveBack(owner, producer);
            }
        };
        return new KafkaBatch(destination, topic, options, traces, producer, giveBack, marker);
    }

    /** Asks for the topics. The transaction of a failed batch is over by then. */
    @Override
    public void probe(DestinationId destination) throws PublishException {
        call(destination, () -> {
            KafkaTopic topic = topic(destination);
            if (needsTopic(destination, topic)) {
                topic.requireLeaders();
            } else {
                topic.cluster();
            }
            if (destinations.settings(destination).exactlyOnce()) {
                new MarkerTopic(topic).requireCompacted();
            }
            return null;
        });
    }

    @Override
    public Optional<TopicLimits> limits(DestinationId destination) throws PublishException {
        return call(destination, topic(destination)::limits);
    }

    /** Every application has the destination default; while no event goes there, its topic may not exist. */
    private boolean needsTopic(DestinationId destination, KafkaTopic topic) {
        return used.contains(destination)
                || !destination.name().equals(DEFAULT_DESTINATION)
                || !topic.config().address().equals(DEFAULT_DESTINATION);
    }

    @Override
    public String describe(DestinationId destination) throws PublishException {
        return "Kafka " + call(destination, topic(destination)::cluster)
                + ", for consumers with isolation.level=read_committed";
    }

    private KafkaTopic topic(DestinationId destination) throws PublishException {
        TransportDestination config = destinations.settings(destination).destination();
        return topics.computeIfAbsent(config, each -> new KafkaTopic(each, admins));
    }

    private <T> T call(DestinationId destination, Callable<T> work) throws PublishException {
        try {
            return work.call();
        } catch (PublishException e) {
            throw e;
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new PublishException(Blame.DESTINATION, topic(destination).unavailable(destination), e);
        }
    }

    /** Without this, each client would keep a thread, and the thread the class loader of the application. */
    @PreDestroy
    void stop() {
        producers.close();
        admins.close();
    }
}
