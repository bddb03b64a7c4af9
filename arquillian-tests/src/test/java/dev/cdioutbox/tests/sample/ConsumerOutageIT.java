package dev.cdioutbox.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;

import dev.cdioutbox.tests.server.H2Server;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** While the database is away, consumers burn no redeliveries: one that does its work at once, and one that stores first. */
class ConsumerOutageIT {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final String PAUSED = "OBX-0473: the message-driven bean sample#sample.war#";

    private final H2Server database = new H2Server("consumer-outage-database");
    private final LibertyServer server = LibertyServer.sample("consumer-outage")
            .on(database)
            .adding(FloodServlet.class, StoringBean.class, StoredWork.class, DiagnosisServlet.class)
            .edit(
                    "cdi-outbox/messaging-embedded.xml",
                    "<queue id=\"cdioutbox.room\" />",
                    "<queue id=\"cdioutbox.room\" /><queue id=\"arrivals\" />")
            .withElement("<jmsQueue id=\"jms/arrivals\" jndiName=\"jms/arrivals\">"
                    + "<properties.wasJms queueName=\"arrivals\" /></jmsQueue>")
            .withElement("<jmsActivationSpec id=\"sample/StoringBean\">"
                    + "<properties.wasJms destinationRef=\"jms/arrivals\" maxConcurrency=\"5\" /></jmsActivationSpec>");
    private final SampleClient sample = new SampleClient(server::url);

    @BeforeEach
    void start() {
        database.start();
        server.start();
    }

    @AfterEach
    void close() {
        server.close();
        database.close();
    }

    @Test
    void messagesOfAnOutageArriveOnceAndNoneIsADeadLetter() {
        sendInOutage(200, Duration.ofSeconds(15));
        database.start();
        assertEachArrivesOnce(200);
    }

    @Tag("long")
    @Test
    void messagesOfTenMinutesArriveOnceAndNoneIsADeadLetter() {
        sendInOutage(1000, Duration.ofMinutes(10));
        database.start();
        assertEachArrivesOnce(1000);
    }

    /** An application does not start without its database, and the one that stopped cannot resume its consumers any more. */
    @Tag("full")
    @Test
    void applicationThatStopsInTheOutageLeavesNoConsumerPaused() {
        sendInOutage(200, Duration.ofSeconds(1));
        server.showingThirdPartyApis();
        await().atMost(SOON).until(() -> server.log().contains("CWWKZ0004E"));
        database.start();
        server.edit("server.xml", "<classloader apiTypeVisibility=\"+third-party\" />", "");
        await().atMost(SOON).until(server::answers);
        assertEachArrivesOnce(200);
    }

    private void sendInOutage(int messages, Duration length) {
        database.stop();
        assertThat(sample.get("/flood?messages=" + messages).statusCode()).isEqualTo(200);
        await().during(length)
                .atMost(length.plus(SOON))
                .failFast(() -> assertThat(sample.putAside()).isEmpty())
                .until(() -> true);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(sample.get("/diagnosis").body())
                        .contains(PAUSED + "ShippingBean", PAUSED + "StoringBean")
                        .doesNotContain("OBX-0542"));
    }

    private void assertEachArrivesOnce(int messages) {
        await().atMost(SOON).until(() -> shipped().size() >= messages && stored().size() >= messages);
        assertThat(shipped()).doesNotHaveDuplicates().hasSize(messages);
        assertThat(stored()).doesNotHaveDuplicates().hasSize(messages);
        assertThat(sample.putAside()).isEmpty();
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(sample.get("/diagnosis").body()).doesNotContain("OBX-0473", "OBX-0542"));
    }

    private List<String> shipped() {
        return database.texts("SELECT message_id FROM shipment");
    }

    private List<String> stored() {
        return database.texts("SELECT causation_id FROM outbox_message WHERE destination = 'arrivals'");
    }
}
