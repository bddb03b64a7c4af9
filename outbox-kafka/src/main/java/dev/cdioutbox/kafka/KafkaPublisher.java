package dev.cdioutbox.kafka;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Named;

import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.observe.trace.Traces;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/** Publishes to Kafka, each batch in one Kafka transaction. */
@ApplicationScoped
@Named(DestinationConfig.KAFKA)
public class KafkaPublisher implements OutboxPublisher {
    private final Outboxes outboxes;
    private final Traces traces;
    private final Producers producers = new Producers();
    private final Map<DestinationConfig, KafkaTopic> topics = new ConcurrentHashMap<>();

    /** For the client proxy. */
    protected KafkaPublisher() {
        this(null, null);
    }

    /**
     * For CDI.
     *
     * @param outboxes the application's outboxes
     * @param traces what creates spans
     */
    @Inject
    public KafkaPublisher(Outboxes outboxes, Traces traces) {
        this.outboxes = outboxes;
        this.traces = traces;
    }

    /** Kafka's transactions join no JTA transaction. */
    @Override
    public boolean joinsTransactions() {
        return false;
    }

    @Override
    public Sender open(String destination) throws PublishException {
        return call(
                destination,
                () -> new KafkaBatch(
                        destination,
                        topic(destination),
                        outboxes.of(destination).config().current().jms(),
                        traces,
                        producers));
    }

    /** Asks for the topic. The transaction of a failed batch is over by then. */
    @Override
    public void probe(String destination) throws PublishException {
        call(destination, () -> {
            topic(destination).requireLeaders();
            return null;
        });
    }

    @Override
    public String describe(String destination) throws PublishException {
        return "Kafka " + call(destination, topic(destination)::cluster);
    }

    private KafkaTopic topic(String destination) throws PublishException {
        DestinationConfig config = outboxes.destination(destination);
        if (config == null) {
            throw new PublishException(Blame.DESTINATION, OutboxCode.NOT_CONFIGURED.text(destination), null);
        }
        return topics.computeIfAbsent(config, KafkaTopic::new);
    }

    private static <T> T call(String destination, Callable<T> work) throws PublishException {
        try {
            return work.call();
        } catch (PublishException e) {
            throw e;
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new PublishException(Blame.DESTINATION, OutboxCode.KAFKA_UNAVAILABLE.text(destination), e);
        }
    }

    /** Without this, each producer would keep a thread, and the thread the class loader of the application. */
    @PreDestroy
    void stop() {
        producers.close();
    }
}
