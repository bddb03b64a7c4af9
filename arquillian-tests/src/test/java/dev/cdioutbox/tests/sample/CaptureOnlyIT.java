package dev.cdioutbox.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.H2Server;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Some nodes capture and others dispatch, by two applications, or by one application with two configurations. */
class CaptureOnlyIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    /** The capturing one needs outbox-cdi alone, and no feature for EJBs, messaging, health or metrics. */
    @Test
    void applicationWithoutEjbsAndMessagingStoresWhatOneWithoutEventsSends() {
        WebArchive capturing = Deployments.withoutConsole(
                        Deployments.withoutOutboxJms(Deployments.bare("capture-only.war")))
                .addClasses(Noted.class, NotingServlet.class);
        WebArchive dispatching = Deployments.bare("dispatch-only.war").addClass(ReadyServlet.class);
        try (H2Server database = new H2Server("capture-only-h2").start();
                LibertyServer server = LibertyServer.sample("capture-only", "capture-only.xml")
                        .on(database)
                        .running(capturing, "/note")
                        .start();
                LibertyServer worker =
                        LibertyServer.sample("dispatch-only").on(database).running(dispatching, "/ready")) {
            assertThat(server.log())
                    .contains("OBX-0226: this application has no bean of the type dev.cdioutbox.spi.OutboxPublisher")
                    .doesNotContain("OBX-0407")
                    .doesNotContain("[WARNING", "[ERROR", "FFDC");
            assertThat(statuses(database)).containsOnly("PENDING");

            worker.start();

            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(statuses(database)).containsOnly("PUBLISHED"));
        }
    }

    @Tag("full")
    @Test
    void nodeWhoseDispatcherIsOffStoresWhatAnotherNodeSends() {
        try (H2Server database = new H2Server("capturing-node-h2").start();
                LibertyServer capturing = LibertyServer.sample("capturing-node")
                        .on(database)
                        .set("outbox.dispatcher.enabled", "false")
                        .start();
                LibertyServer dispatching =
                        LibertyServer.sample("dispatching-node").on(database).start()) {
            new SampleClient(capturing::url).placeOrder();

            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(statuses(database)).containsOnly("PUBLISHED"));
            assertThat(new SampleClient(capturing::url).metric("outbox_published_total", "default"))
                    .isZero();
            assertThat(new SampleClient(dispatching::url).metric("outbox_published_total", "default"))
                    .isPositive();
        }
    }

    private static Iterable<String> statuses(H2Server database) {
        Iterable<String> statuses = database.texts("SELECT status FROM outbox_message_view");
        assertThat(statuses).isNotEmpty();
        return statuses;
    }
}
