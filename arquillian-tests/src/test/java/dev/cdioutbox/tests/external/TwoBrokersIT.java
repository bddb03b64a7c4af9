package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.tests.server.Broker;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.Test;

/** One server, one event, two destinations at two brokers: Liberty's own and ActiveMQ. */
class TwoBrokersIT {

    @Test
    void brokerThatIsAwayHoldsUpNobodyElse() {
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
            broker.start();
            await().atMost(SOON).until(() -> published(sample, second) == 2);

            assertThat(sample.deliveries(first)).hasSize(1);
            assertThat(sample.deliveries(second)).hasSize(1);
            assertThat(broker.drain("billing"))
                    .extracting(TwoBrokersIT::aggregateId)
                    .containsExactly(first, second);
        }
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
