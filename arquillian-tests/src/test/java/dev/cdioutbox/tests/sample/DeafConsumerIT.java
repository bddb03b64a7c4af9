package dev.cdioutbox.tests.sample;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Liberty does not activate a message-driven bean again if its queue was gone while the application started, nor if it was told
 * not to start the bean. The doctor finds it, and of the next steps that its finding names, each helps in its case only.
 */
@Tag("full")
class DeafConsumerIT {
    private static final String MESSAGING = "cdi-outbox/messaging-embedded.xml";
    private static final String QUEUE = "<jmsQueue id=\"jms/outbox\"";
    private static final String OTHER_QUEUE = "<jmsQueue id=\"jms/moved\"";
    private static final String SPECIFICATION = "<jmsActivationSpec id=\"sample/ShippingBean\"";
    private static final String OTHER_SPECIFICATION = "<jmsActivationSpec id=\"sample/Nobody\"";
    private static final String BEAN = "sample#sample.war#ShippingBean";

    @Test
    void beanThatStaysDeafAfterItsQueueIsBackIsFoundAndCanBeWokenWithoutARestart() {
        try (LibertyServer server =
                LibertyServer.sample("deaf").adding(DiagnosisServlet.class).start()) {
            SampleClient sample = new SampleClient(server::url);
            assertThat(sample.get("/diagnosis").body()).doesNotContain("OBX-0542");

            server.edit(MESSAGING, QUEUE, OTHER_QUEUE);
            await().atMost(LONG).until(() -> server.log().contains("CNTR4016W"));
            int before = server.log().length();
            server.edit(MESSAGING, OTHER_QUEUE, QUEUE);
            await().atMost(LONG).until(() -> server.log().indexOf("CWWKG0017I", before) >= 0);
            await().atMost(LONG).until(server::answers);
            assertThat(sample.get("/diagnosis").body())
                    .contains("OBX-0542: the message-driven bean(s) " + BEAN + " receive nothing");

            server.edit("server.xml", SPECIFICATION, OTHER_SPECIFICATION);
            await().atMost(LONG)
                    .until(() -> server.log().lastIndexOf("CWWKG0017I")
                            > server.log().indexOf("CWWKG0017I", before));
            server.edit("server.xml", OTHER_SPECIFICATION, SPECIFICATION);
            String order = sample.placeOrder();
            await().atMost(LONG).until(() -> sample.deliveries(order).size() == 1);
            assertThat(sample.get("/diagnosis").body()).doesNotContain("OBX-0542");
        }
    }

    /** Liberty does not look at the attribute again when it is removed. */
    @Test
    void beanThatDoesNotStartByItselfIsFoundAndCanBeResumed() {
        try (LibertyServer server = LibertyServer.sample("manual")
                .adding(DiagnosisServlet.class)
                .edit("server.xml", SPECIFICATION, SPECIFICATION + " autoStart=\"false\"")
                .start()) {
            SampleClient sample = new SampleClient(server::url);
            assertThat(server.log()).contains("CNTR4116I");
            assertThat(sample.get("/diagnosis").body()).contains("OBX-0542", "CNTR4116I", "server resume");
            String order = sample.placeOrder();

            server.resume(BEAN);

            await().atMost(LONG).until(() -> sample.deliveries(order).size() == 1);
            assertThat(sample.get("/diagnosis").body()).doesNotContain("OBX-0542");
        }
    }
}
