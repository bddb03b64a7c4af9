package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.tests.sample.Noted;
import dev.cdioutbox.tests.sample.NotingServlet;
import dev.cdioutbox.tests.server.ArtemisBroker;
import dev.cdioutbox.tests.server.ContainerImage;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.KubernetesFiles;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.Pod;
import dev.cdioutbox.tests.server.PostgresServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The sample's image and its StatefulSet, as processes: the probes pass, a pod that is stopped ends its batch, and an
 * update of one pod after the other costs neither a message nor a request.
 */
@Tag("full")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class RollingUpdateIT {
    private static final int PREPARED_TRANSACTIONS = 200;
    private static final int PILE = 500;

    /** The transactions that have settled a batch and are being committed. */
    private static final String SETTLING =
            "SELECT p.gid FROM pg_prepared_xacts p JOIN outbox_queue q ON q.xmax = p.transaction";

    private static final KubernetesFiles FILES = new KubernetesFiles();
    private static final PostgresServer DATABASE = new PostgresServer();
    private static final ArtemisBroker BROKER = new ArtemisBroker("rolling-update");
    /** The test has taken them from the broker. */
    private static final List<Message> COPIES = new ArrayList<>();

    private final List<Pod> pods = IntStream.range(
                    0, FILES.statefulSet().getSpec().getReplicas())
            .mapToObj(RollingUpdateIT::pod)
            .toList();

    @BeforeAll
    static void start() {
        DATABASE.start(PREPARED_TRANSACTIONS);
        BROKER.start();
        String user = FILES.secret().getStringData().get("cdioutbox.postgresql.user");
        String password = FILES.secret().getStringData().get("cdioutbox.postgresql.password");
        DATABASE.update("CREATE USER %s PASSWORD '%s'".formatted(user, password));
        DATABASE.update("GRANT CREATE ON SCHEMA public TO " + user);
        // Otherwise the server would let the pods in with any password.
        DATABASE.update("COPY (SELECT unnest(ARRAY['host all %s all scram-sha-256', 'host all all all trust'])) TO '%s'"
                .formatted(user, DATABASE.query("SHOW hba_file").get(0)));
        DATABASE.query("SELECT pg_reload_conf()");
    }

    @AfterAll
    static void stop() {
        BROKER.close();
        DATABASE.close();
    }

    @AfterEach
    void stopPods() {
        pods.forEach(Pod::close);
    }

    private static Pod pod(int ordinal) {
        return new Pod(FILES, ordinal)
                .replacing("CDIOUTBOX_POSTGRESQL_HOST", "localhost")
                .with("CDIOUTBOX_POSTGRESQL_PORT", String.valueOf(DATABASE.port()))
                .with("CDIOUTBOX_POSTGRESQL_DATABASE", "postgres")
                .replacing("CDIOUTBOX_ARTEMIS_BROKER", "host=localhost;port=" + BROKER.port())
                // A pile is many batches, so that each stop meets one.
                .with("OUTBOX_DISPATCHER_BATCH_SIZE", "20")
                .with("OUTBOX_DISPATCHER_INTERVAL", "PT1S");
    }

    @Test
    void podThatIsStoppedEndsItsBatchWithinTheGracePeriod() throws JMSException {
        Pod pod = pods.get(0).start(ContainerImage.SAMPLE::copyTo);
        assertThat(pod.isLive()).isTrue();

        pod.terminate(RollingUpdateIT::awaitBatch);

        assertThat(DATABASE.query("SELECT gid FROM pg_prepared_xacts"))
                .as("in doubt")
                .isEmpty();
        assertThat(DATABASE.query("SELECT node_id FROM outbox_node"))
                .as("nodes that have not said goodbye")
                .isEmpty();
        COPIES.addAll(BROKER.drain("copy.outbox"));
        assertThat(Copies.ids(COPIES))
                .containsExactlyInAnyOrderElementsOf(DATABASE.query("SELECT message_id FROM outbox_message_view"
                        + " WHERE destination = 'default' AND status = 'PUBLISHED'"));
    }

    /** The new version has a new event, which has a new destination. Kubernetes also begins with the last pod. */
    @Test
    void updateLosesDoublesAndReordersNothingAndRefusesNoRequest() throws JMSException {
        Service service = new Service();
        pods.stream()
                .map(pod -> CompletableFuture.runAsync(() -> service.add(pod.start(ContainerImage.SAMPLE::copyTo))))
                .toList()
                .forEach(CompletableFuture::join);
        List<Pod> lastFirst = new ArrayList<>(pods);
        Collections.reverse(lastFirst);
        List<String> acknowledged;
        List<String> refused;
        try (Traffic traffic = new Traffic(new SampleClient(service::url), new SampleClient(service::url))) {
            for (Pod pod : lastFirst) {
                service.remove(pod);
                pod.terminate(RollingUpdateIT::awaitBatch);
                pod.start(RollingUpdateIT::copyNewVersion);
                assertThat(Http.get(pod.url("/note?text=" + pod.name())).statusCode())
                        .isEqualTo(200);
                service.add(pod);
            }
            acknowledged = traffic.acknowledged();
            refused = traffic.refused();
        }

        awaitQuiet();
        COPIES.addAll(BROKER.drain("copy.outbox"));
        Landscape.tell("rolling update: %d messages, %d events acknowledged", COPIES.size(), acknowledged.size());
        assertThat(refused).isEmpty();
        assertThat(DATABASE.query("SELECT message_key || ' ' || event_type FROM outbox_message"))
                .containsAll(acknowledged);
        Copies.assertEachOnceAndInOrder(COPIES, DATABASE);
        assertThat(BROKER.drain("notes")).hasSameSizeAs(pods);
        assertThat(DATABASE.query("SELECT message_id FROM shipment")).doesNotHaveDuplicates();
    }

    private static void copyNewVersion(Path config) {
        ContainerImage.SAMPLE.copyTo(config);
        LibertyServer.addTo(config.resolve("apps/sample.war"), Noted.class, NotingServlet.class);
        Path xml = config.resolve("server.xml");
        try {
            Files.writeString(xml, Files.readString(xml).replace("</server>", """
                    <variable name="outbox.routes.Noted" value="notes" />
                    <variable name="outbox.destinations.notes.jndi" value="jms/notes" />
                    <variable name="outbox.destinations.notes.connection-factory" value="java:comp/env/cdioutbox/broker" />
                    <jmsQueue id="jms/notes" jndiName="jms/notes">
                      <properties.artemis Address="notes" />
                    </jmsQueue>
                    </server>"""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until a batch is being committed. */
    private static void awaitBatch() {
        DATABASE.update(Landscape.pile(PILE, "default", "OrderCancelled", Landscape.PILED));
        await("a batch is being committed")
                .atMost(LONG)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> !DATABASE.query(SETTLING).isEmpty());
    }

    private static void awaitQuiet() {
        await("every message is published").atMost(LONG).until(() -> DATABASE.query(
                        "SELECT seq FROM outbox_message_view WHERE status IS DISTINCT FROM 'PUBLISHED'")
                .isEmpty());
        await("the consumer got every message").atMost(LONG).until(() -> DATABASE.query(
                        "SELECT seq FROM outbox_message m WHERE destination = 'default' AND NOT EXISTS"
                                + " (SELECT 1 FROM shipment s WHERE s.message_id = m.message_id)")
                .isEmpty());
    }

    /** Passes each request to the next of the pods that are ready, like a Service of Kubernetes. */
    private static final class Service {
        private final List<Pod> ready = new CopyOnWriteArrayList<>();
        private final AtomicInteger requests = new AtomicInteger();

        void add(Pod pod) {
            ready.add(pod);
        }

        void remove(Pod pod) {
            ready.remove(pod);
        }

        URI url(String path) {
            List<Pod> now = List.copyOf(ready);
            return now.get(requests.getAndIncrement() % now.size()).url(path);
        }
    }
}
