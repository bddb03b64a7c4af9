package dev.cdioutbox.internal.dispatch;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.cdc.CdcSetup;
import dev.cdioutbox.internal.transport.TopicLimits;
import dev.cdioutbox.internal.transport.TopicReader;
import dev.cdioutbox.spi.PublishException;

/**
 * Looks whether Kafka has the topics of captured destinations, to which this application does not send itself, and passes their
 * limits on to the capture. What was known before stays if Kafka does not answer. Thread-safe.
 */
final class CdcTopics {
    private static final Logger LOG = Logger.getLogger(CdcTopics.class.getName());

    private final Optional<TopicReader> reader;
    private final CdcSetup cdc;
    private final Supplier<OutboxConfig> config;
    private final Environment environment;
    private final RepeatedLine failures = new RepeatedLine();

    /**
     * @param reader empty if the application does not know Kafka
     * @param config supplies the current configuration
     */
    CdcTopics(Optional<TopicReader> reader, CdcSetup cdc, Supplier<OutboxConfig> config, Environment environment) {
        this.reader = reader;
        this.cdc = cdc;
        this.config = config;
        this.environment = environment;
    }

    /** A destination without a topic. Finds nothing if Kafka does not answer. */
    Optional<Finding> missing() {
        return reader.flatMap(this::missing);
    }

    private Optional<Finding> missing(TopicReader topics) {
        Finding missing = null;
        try {
            for (String name : cdc.destinations()) {
                DestinationConfig destination = config.get().destinations().get(name);
                if (!destination.knowsKafka()) {
                    continue;
                }
                Optional<TopicLimits> limits = topics.limits(config.get().destinationId(name));
                limits.ifPresent(found -> cdc.topics().know(name, found));
                if (limits.isEmpty() && !isUnused(name, destination)) {
                    missing = OutboxCode.CDC_TOPIC_MISSING.finding(destination.address(), name);
                }
            }
        } catch (PublishException | RuntimeException e) {
            if (!environment.isStopping() && failures.due(environment.nanoTime()) > 0) {
                LOG.warning(OutboxCode.CDC_TOPICS_UNKNOWN.text(cdc.destinations(), FailureReason.of(e)));
            }
        }
        return Optional.ofNullable(missing);
    }

    /** Every application has this destination, and many send nothing there. */
    private static boolean isUnused(String name, DestinationConfig destination) {
        return name.equals(OutboxConfig.DEFAULT_DESTINATION)
                && destination.address().equals(OutboxConfig.DEFAULT_DESTINATION);
    }
}
