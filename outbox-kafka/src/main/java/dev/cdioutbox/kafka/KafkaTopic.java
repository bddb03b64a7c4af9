package dev.cdioutbox.kafka;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.transport.TopicLimits;
import dev.cdioutbox.internal.transport.TransportDestination;
import dev.cdioutbox.kafka.Admins.Question;
import dev.cdioutbox.spi.DestinationId;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The topic of a destination. Asks the cluster by an admin client: a producer answers from its memory, also while Kafka is away.
 * Thread-safe.
 */
final class KafkaTopic {
    private final TransportDestination config;
    private final Admins admins;
    /** In bytes; 0 while unknown. */
    private volatile long largest;

    KafkaTopic(TransportDestination config, Admins admins) {
        this.config = config;
        this.admins = admins;
    }

    TransportDestination config() {
        return config;
    }

    /** Why nothing can be sent, in general; the exception tells more. */
    String unavailable(DestinationId destination) {
        return OutboxCode.KAFKA_UNAVAILABLE.text(
                destination, config.client().get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG), config.address());
    }

    /** Fails unless each partition can be written to. */
    void requireLeaders() throws Exception {
        String name = config.address();
        TopicDescription topic = ask(
                admin -> admin.describeTopics(List.of(name)).topicNameValues().get(name));
        if (topic.partitions().stream().anyMatch(partition -> partition.leader() == null)) {
            throw new LeaderNotAvailableException("a partition of the topic " + name + " has no leader");
        }
    }

    String cluster() throws Exception {
        return ask(admin -> admin.describeCluster().clusterId());
    }

    /** Whether client and topic take a record of this size. Asks before it says no: the topic may have another limit now. */
    boolean takes(long bytes) throws Exception {
        if (bytes > largest) {
            largest = largest();
        }
        return bytes <= largest;
    }

    /** The largest record, as far as it is known. */
    long largestKnown() {
        return largest;
    }

    /**
     * The broker decides on what the client cannot know: the size after compression, and the limit of a topic that it may
     * not see, or that the broker creates with its first record.
     */
    private long largest() throws Exception {
        long ofClient = Long.parseLong(config.client()
                .getOrDefault(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, String.valueOf(TopicLimits.DEFAULT)));
        if (!config.client()
                .getOrDefault(ProducerConfig.COMPRESSION_TYPE_CONFIG, "none")
                .equals("none")) {
            return ofClient;
        }
        try {
            String ofTopic = setting(config.address(), TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
            return Math.min(ofClient, Long.parseLong(ofTopic));
        } catch (AuthorizationException | UnknownTopicOrPartitionException unseen) {
            return ofClient;
        }
    }

    /** For a connector, whose producer has the same settings. Empty if there is no topic. */
    Optional<TopicLimits> limits() throws Exception {
        try {
            String policy = setting(config.address(), TopicConfig.CLEANUP_POLICY_CONFIG);
            return Optional.of(new TopicLimits(largest(), policy.contains(TopicConfig.CLEANUP_POLICY_COMPACT)));
        } catch (UnknownTopicOrPartitionException e) {
            return Optional.empty();
        }
    }

    String setting(String topic, String name) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        return ask(admin -> admin.describeConfigs(List.of(resource)).values().get(resource))
                .get(name)
                .value();
    }

    private <T> T ask(Question<T> question) throws Exception {
        return admins.ask(config.client(), question);
    }

    /** Who has open transactions in a partition; as much of it as this user may see. */
    String openTransactions(TopicPartition partition) {
        try {
            Map<Long, Long> starts = ask(
                            admin -> admin.describeProducers(List.of(partition)).partitionResult(partition))
                    .activeProducers()
                    .stream()
                    .filter(producer -> producer.currentTransactionStartOffset().isPresent())
                    .collect(Collectors.toMap(
                            ProducerState::producerId,
                            producer -> producer.currentTransactionStartOffset().getAsLong()));
            Map<Long, String> names = ask(admin -> admin.listTransactions(
                                    new ListTransactionsOptions().filterProducerIds(starts.keySet()))
                            .all())
                    .stream()
                    .collect(Collectors.toMap(TransactionListing::producerId, TransactionListing::transactionalId));
            return starts.entrySet().stream()
                    .map(each -> "producer %d (transactional.id %s, since offset %d)"
                            .formatted(each.getKey(), names.getOrDefault(each.getKey(), "unknown"), each.getValue()))
                    .collect(Collectors.joining(", "));
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return "a producer that Kafka does not name (" + FailureReason.of(e) + ")";
        }
    }

    /** The end of a partition, behind open transactions, too. */
    long end(TopicPartition partition) throws Exception {
        return ask(admin -> admin.listOffsets(
                                Map.of(partition, OffsetSpec.latest()),
                                new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
                        .partitionResult(partition))
                .offset();
    }
}
