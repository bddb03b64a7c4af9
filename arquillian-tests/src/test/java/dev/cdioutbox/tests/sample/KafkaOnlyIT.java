package dev.cdioutbox.tests.sample;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import dev.cdioutbox.kafka.Broker;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.LibertyServer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An application that sends to Kafka only needs neither outbox-jms nor a feature of messaging. */
@Tag("full")
class KafkaOnlyIT {
    private static final String TOPIC = "notes";
    private static final String THREAD_OF_A_PRODUCER = "kafka-producer-network-thread";

    @Test
    void eventReachesTheTopicWithoutMessagingAndUndeploymentLeavesNoThread() throws Exception {
        try (Broker broker = new Broker(Files.createTempDirectory(Path.of("target"), "kafka-only"));
                LibertyServer server = LibertyServer.sample("kafka-only", "kafka-only.xml")
                        .running(
                                Deployments.withKafka(Deployments.withoutOutboxJms(Deployments.bare("kafka-only.war")))
                                        .addClasses(Noted.class, NotingServlet.class),
                                "/note")
                        .set("outbox.kafka.bootstrap.servers", broker.address())
                        .set("outbox.destinations.default.topic", TOPIC)) {
            broker.create(TOPIC, Map.of());
            broker.create("outbox-markers", Map.of("cleanup.policy", "compact"));
            server.start();

            assertThat(broker.receive(TOPIC, new HashMap<>(), event -> true))
                    .extracting(ConsumerRecord::value)
                    .containsOnly("{\"text\":\"a note\"}");
            assertThat(server.threads()).anyMatch(thread -> thread.contains(THREAD_OF_A_PRODUCER));
            assertThat(server.log())
                    .contains("OBX-0420: destination 'default': exactly-once")
                    .doesNotContainPattern("CWWKF0012I.*(?i:messaging|mdb)")
                    .doesNotContain("[WARNING", "[ERROR", "FFDC");

            server.undeploy();
            await().atMost(LONG).until(() -> server.log().contains("CWWKZ0009I"));
            assertThat(server.threads()).isNotEmpty().noneMatch(thread -> thread.contains(THREAD_OF_A_PRODUCER));
        }
    }
}
