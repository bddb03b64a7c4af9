package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.SOON;
import static dev.cdioutbox.tests.external.Landscape.awaitLog;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.jms.JMSException;

import dev.cdioutbox.tests.server.Broker;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** ActiveMQ's own client, bound without its resource adapter, loses no message. */
@Tag("full")
class UnmanagedFactoryIT {

    @Test
    void exactlyOnceIsRefusedAndAtLeastOnceReachesTheBroker() throws JMSException, ClassNotFoundException {
        try (Broker broker = new Broker("unmanaged-broker").start();
                LibertyServer server = LibertyServer.sample("unmanaged", "unmanaged-factory.xml")
                        .set("client.activemq", jar("org.apache.activemq.ActiveMQConnectionFactory"))
                        .set("client.hawtbuf", jar("org.fusesource.hawtbuf.Buffer"))
                        .set("client.slf4j", jar("org.slf4j.Logger"))
                        .set("client.broker", broker.url())
                        .start()) {
            SampleClient sample = new SampleClient(server::url);
            String order = sample.placeOrder();

            awaitLog(server, 0, "OBX-0403: destination 'default': exactly-once is not possible here");
            assertThat(server.log()).contains("OBX-0517: the sessions of the connection factory jms/client");
            assertThat(sample.messages(order).get(0).getString("status")).isEqualTo("PENDING");
            assertThat(broker.drain("outbox")).isEmpty();

            server.set("outbox.dispatcher.delivery", "at-least-once");
            await().atMost(SOON)
                    .until(() ->
                            sample.messages(order).get(0).getString("status").equals("PUBLISHED"));
            assertThat(broker.drain("outbox")).hasSize(1);
        }
    }

    /** The file that has a class of the client, or of what the client needs. */
    private static String jar(String name) throws ClassNotFoundException {
        return Class.forName(name)
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
    }
}
