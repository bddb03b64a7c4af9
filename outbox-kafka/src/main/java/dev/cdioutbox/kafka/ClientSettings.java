package dev.cdioutbox.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * The settings of Kafka's clients: the application's, over defaults that let a batch end in time. The dispatcher does not
 * interrupt a send, and Kafka's own time-outs are minutes.
 */
final class ClientSettings {
    private static final int ANSWER_MILLIS = 5_000;
    private static final int REQUEST_MILLIS = 10_000;
    private static final int DELIVERY_MILLIS = 15_000;
    private static final int TRANSACTION_MILLIS = 30_000;

    /**
     * By default, a client that reaches no broker logs a line for each look at its bootstrap servers: thousands a minute. An idle
     * one tries to connect, too. Shorter than an answer may take, so that a question does not fail once a broker is back.
     */
    private static final Map<String, Object> QUIET = Map.of(
            CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG,
            "none",
            CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG,
            3_000);

    /** Among the settings, but Kafka knows none of this name. */
    private static final String MARKER_TOPIC = "marker.topic";

    private ClientSettings() {}

    static String markerTopic(Map<String, String> own) {
        return own.getOrDefault(MARKER_TOPIC, "outbox-markers");
    }

    /**
     * The settings of a producer.
     *
     * @param own the application's settings; its transactional id is the beginning of each, for access control
     * @param owner the rest of the id. Producers with one id abort the transactions of each other
     */
    static Map<String, Object> ofProducer(Map<String, String> own, String owner) {
        Map<String, Object> settings = new HashMap<>(QUIET);
        settings.putAll(Map.of(
                ProducerConfig.MAX_BLOCK_MS_CONFIG, ANSWER_MILLIS,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS,
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_MILLIS));
        settings.putAll(own);
        String prefix = own.getOrDefault(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "outbox-");
        settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, prefix + owner);
        settings.remove(MARKER_TOPIC);
        return settings;
    }

    /** The settings of a consumer of committed records: what it shares with an admin client. */
    static Map<String, Object> ofConsumer(Map<String, String> own) {
        Map<String, Object> settings = ofAdmin(own);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        return settings;
    }

    /** The settings of an admin client: what it shares with a producer. */
    static Map<String, Object> ofAdmin(Map<String, String> own) {
        Map<String, Object> settings = new HashMap<>(QUIET);
        settings.putAll(own);
        settings.keySet().retainAll(AdminClientConfig.configNames());
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
        return settings;
    }

    /**
     * Creates or closes a client under the class loader of the application. Kafka loads the classes that its settings name
     * from that of the thread, which is the server's where no component of the application is called.
     */
    static <T> T inApplication(Supplier<T> work) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ClientSettings.class.getClassLoader());
        try {
            return work.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
