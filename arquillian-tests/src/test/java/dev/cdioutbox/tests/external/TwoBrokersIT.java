package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.tests.server.Broker;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import dev.cdioutbox.tests.server.SampleDatabase;
import org.junit.jupiter.api.Test;

/** One server, one event, two destinations at two brokers: Liberty's own and ActiveMQ. */
class TwoBrokersIT {
    private static final String BROKER_IDS =
            "SELECT broker_message_id FROM outbox_message WHERE destination = '%s' ORDER BY seq";

    @Test
    void brokerThatIsAwayHoldsUpNobodyElseAndWhatWaitedFollowsItsDestination() throws JMSException, SQLException {
        try (Broker broker = new Broker("billing").start();
                LibertyServer server = LibertyServer.sample("two-brokers", "two-brokers.xml")
                        .set("cdioutbox.activemq.broker", broker.url())
                        .start()) {
            SampleClient sample = new SampleClient(server::url);
            String first = sample.placeOrder();
            await().atMost(SOON).until(() -> published(sample, first) == 2);
            assertThat(server.log()).contains("OBX-0404: destination 'default'", "OBX-0404: destination 'billing'");

            broker.stop();
            String second = sample.placeOrder();
            await().atMost(SOON).until(() -> sample.deliveries(second).size() == 1 && published(sample, second) == 1);
            server.set("outbox.destinations.billing.jndi", "jms/billing-moved");
            broker.start();
            await().atMost(SOON).until(() -> published(sample, second) == 2);

            assertThat(sample.deliveries(first)).hasSize(1);
            assertThat(sample.deliveries(second)).hasSize(1);
            List<Message> billed = broker.drain("billing");
            List<Message> moved = broker.drain("billing-moved");
            assertThat(billed).extracting(TwoBrokersIT::aggregateId).containsExactly(first);
            assertThat(moved).extracting(TwoBrokersIT::aggregateId).containsExactly(second);
            assertStrangersGetTheEventAndNothingElse(billed.get(0));

            server.stop();
            try (SampleDatabase database = server.database()) {
                assertThat(database.texts(BROKER_IDS.formatted("billing")))
                        .containsExactly(
                                billed.get(0).getJMSMessageID(), moved.get(0).getJMSMessageID());
                assertThat(database.texts(BROKER_IDS.formatted("default")))
                        .hasSize(2)
                        .allSatisfy(id -> assertThat(id).startsWith("ID:"));
            }
        }
    }

    private static void assertStrangersGetTheEventAndNothingElse(Message message) throws JMSException {
        Set<String> properties = new TreeSet<>();
        Collections.list((Enumeration<?>) message.getPropertyNames()).forEach(name -> properties.add((String) name));
        assertThat(properties)
                .contains("messageId", "eventType", "aggregateId", "cloudEvents_specversion")
                .doesNotContain("sequence", "tenantId", "causationId");
        assertThat(message.getJMSCorrelationID()).isNull();
        assertThat(message.getStringProperty("cloudEvents_id")).isEqualTo(message.getStringProperty("messageId"));
        assertThat(message.getStringProperty("cloudEvents_source")).isEqualTo("https://shop.example/orders");
        assertThat(message.getStringProperty("cloudEvents_subject")).isEqualTo(aggregateId(message));
    }

    private static long published(SampleClient sample, String order) {
        return sample.messages(order).stream()
                .filter(message -> "PUBLISHED".equals(message.getString("status")))
                .count();
    }

    private static String aggregateId(Message message) throws JMSException {
        return message.getStringProperty("aggregateId");
    }
}
