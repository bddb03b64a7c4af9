package dev.cdioutbox.tests.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import dev.cdioutbox.kafka.Broker;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.ManagedServer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One application sends an event by JMS and to Kafka, exactly once, and leaves nothing behind. The consumer of the pages handles
 * it once.
 */
@ExtendWith(ArquillianExtension.class)
@RunAsClient
class KafkaIT {
    private static final String NAME = "kafka";
    private static final String TOPIC = "parcels";
    private static final String WORK = "// The work, in the transaction that also stores the message id.";
    private static final Duration SOON = Duration.ofMinutes(4);

    private static Broker broker;

    @ArquillianResource
    Deployer deployer;

    @Deployment(name = NAME, managed = false, testable = false)
    static WebArchive application() throws Exception {
        Path folder = Files.createTempDirectory(Path.of("target"), NAME);
        broker = new Broker(folder);
        broker.create(TOPIC, Map.of());
        broker.create("outbox-markers", Map.of("cleanup.policy", "compact"));
        WebArchive war = Deployments.withKafka(Deployments.outbox(
                        NAME + ".war",
                        "outbox.destinations.parcels.transport=kafka",
                        "outbox.destinations.parcels.kafka.bootstrap.servers=" + broker.address()))
                .addClasses(Parcel.class, ParcelServlet.class, Payment.class, Handled.class);
        return new PageClasses(Files.createDirectory(folder.resolve("classes")))
                .add("consume.md", "Payments", WORK, "Handled.add(payment.id());")
                .add("howto/kafka.md", "PaymentReader", "kafka:9092", broker.address(), "shop.payments", TOPIC)
                .addTo(war);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void eventGoesToBothTransportsAndUndeploymentLeavesNoThread() {
        String id = UUID.randomUUID().toString();
        deployer.deploy(NAME);
        try {
            post("rollback=true&id=" + id);
            post("id=" + id);

            await().atMost(SOON).until(() -> get("states&id=" + id)
                    .matches("default PUBLISHED .*\nparcels PUBLISHED parcels-\\d@\\d+"));
            assertThat(get("jms&id=" + id)).isEqualTo("received");
            assertThat(broker.receive(
                            TOPIC, new HashMap<>(), event -> event.key().equals(id)))
                    .extracting(ConsumerRecord::value)
                    .containsExactly("{\"id\":\"" + id + "\"}");
            assertThat(get("threads")).contains("kafka-producer-network-thread");
            assertEffectOnce(id);
        } finally {
            deployer.undeploy(NAME);
        }
        deployer.deploy(NAME);
        try {
            assertThat(get("threads")).doesNotContain("kafka-producer-network-thread");
            assertThat(ManagedServer.log()).doesNotContain("KafkaConsumer is not safe for multi-threaded access");
        } finally {
            deployer.undeploy(NAME);
        }
    }

    /** The consumer of the pages fails once, and gets a copy. */
    private static void assertEffectOnce(String id) {
        await().atMost(SOON).until(() -> get("handled&id=" + id).equals("1"));
        post("replay=true&id=" + id);
        await().atMost(SOON).until(() -> Http.get(ManagedServer.url("/metrics?scope=application"))
                .body()
                .matches("(?s).*outbox_duplicates_skipped_total\\{consumer=\"payments\"[^}]*} 1\\.0.*"));
        assertThat(get("handled&id=" + id)).isEqualTo("1");
    }

    private static void post(String parameters) {
        assertThat(Http.post(ManagedServer.url("/kafka/parcels?" + parameters), "")
                        .statusCode())
                .isEqualTo(200);
    }

    private static String get(String what) {
        return Http.get(ManagedServer.url("/kafka/parcels?what=" + what)).body();
    }
}
