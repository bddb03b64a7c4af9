package dev.cdioutbox.tests.sample;

import static dev.cdioutbox.tests.server.Patience.LONG;
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
    private static final boolean IS_CHAOS = Integer.getInteger("outage.intervals") > 4;
    private static final int IN_OUTAGE = IS_CHAOS ? 1000 : 200;
    private static final Duration OUTAGE = IS_CHAOS ? Duration.ofMinutes(10) : Duration.ofSeconds(15);
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
        sendIn(OUTAGE);
        database.start();
        assertEachArrivesOnce();
    }

    /** An application does not start without its database, and the one that stopped cannot resume its consumers any more. */
    @Tag("full")
    @Test
    void applicationThatStopsInTheOutageLeavesNoConsumerPaused() {
        sendIn(Duration.ofSeconds(1));
        server.showingThirdPartyApis();
        await().atMost(LONG).until(() -> server.log().contains("CWWKZ0004E"));
        database.start();
        server.edit("server.xml", "<classloader apiTypeVisibility=\"+third-party\" />", "");
        await().atMost(LONG).until(server::answers);
        assertEachArrivesOnce();
    }

    private void sendIn(Duration outage) {
        database.stop();
        assertThat(sample.get("/flood?messages=" + IN_OUTAGE).statusCode()).isEqualTo(200);
        await().during(outage)
                .atMost(outage.plus(LONG))
                .failFast(() -> assertThat(sample.putAside()).isEmpty())
                .until(() -> true);
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(sample.get("/diagnosis").body())
                        .contains(PAUSED + "ShippingBean", PAUSED + "StoringBean")
                        .doesNotContain("OBX-0542"));
    }

    private void assertEachArrivesOnce() {
        await().atMost(LONG).until(() -> shipped().size() >= IN_OUTAGE && stored().size() >= IN_OUTAGE);
        assertThat(shipped()).doesNotHaveDuplicates().hasSize(IN_OUTAGE);
        assertThat(stored()).doesNotHaveDuplicates().hasSize(IN_OUTAGE);
        assertThat(sample.putAside()).isEmpty();
        await().atMost(LONG)
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
