package dev.cdioutbox.tests.publisher;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

import dev.cdioutbox.testing.PublisherContract;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.ArtemisBroker;
import dev.cdioutbox.tests.server.Broker;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The publisher for JMS keeps the contract of publishers through the resource adapters of ActiveMQ and Artemis too. */
@Tag("full")
class JmsPublisherOnBrokersIT {
    private static final String FULL = "fullDestinationSaysSo";

    @Test
    void contractIsKeptOnActiveMq() {
        try (Broker broker = new Broker("contract-activemq").start()) {
            // Its broker limits the sum of all queues only.
            assertKept("activemq", "PhysicalName", Set.of(FULL), "cdioutbox.activemq.broker", broker.url());
        }
    }

    @Test
    void contractIsKeptOnArtemis() {
        try (ArtemisBroker broker = new ArtemisBroker("contract-artemis").start()) {
            String address = "host=localhost;port=" + broker.port();
            assertKept("artemis", "Address", Set.of(), "cdioutbox.artemis.broker", address);
        }
    }

    private static void assertKept(
            String broker, String attribute, Set<String> skipped, String variable, String address) {
        try (LibertyServer server = LibertyServer.sample("contract-on-" + broker, "contract.xml")
                .withElement("<include location=\"cdi-outbox/messaging-" + broker + ".xml\" />")
                .withElement(queue(broker, attribute, "contract", "contract"))
                .withElement(queue(broker, attribute, "brimful", "small"))
                .set(variable, address)
                .running(application(broker), ContractServlet.PATH)
                .start()) {
            String answer = Http.get(
                            server.url(ContractServlet.PATH + "?" + ContractServlet.BROKER + "=" + broker), LONG)
                    .body();
            assertThat(answer.lines())
                    .as(answer)
                    .containsExactlyInAnyOrderElementsOf(Arrays.stream(PublisherContract.class.getMethods())
                            .filter(method -> method.isAnnotationPresent(Test.class))
                            .map(test -> test.getName()
                                    + (skipped.contains(test.getName())
                                            ? ContractServlet.SKIPPED
                                            : ContractServlet.KEPT))
                            .collect(Collectors.toList()));
        }
    }

    private static String queue(String broker, String attribute, String jndi, String name) {
        return "<jmsQueue jndiName=\"jms/%s\"><properties.%s %s=\"%s\" /></jmsQueue>"
                .formatted(jndi, broker, attribute, name);
    }

    private static WebArchive application(String broker) {
        String factory = ".connection-factory=jms/" + broker;
        return Deployments.withTestKit(Deployments.outbox(
                        "contract.war",
                        "outbox.dispatcher.enabled=false",
                        "outbox.destinations.contract.jndi=jms/contract",
                        "outbox.destinations.contract" + factory,
                        "outbox.destinations.brimful.jndi=jms/brimful",
                        "outbox.destinations.brimful" + factory,
                        "outbox.destinations.absent" + factory))
                .addAsLibraries(
                        Deployments.jar(Test.class.getName()),
                        Deployments.jar("org.opentest4j.TestAbortedException"),
                        Deployments.jar("org.junit.platform.commons.JUnitException"))
                .addPackage(JmsPublisherContract.class.getPackage());
    }
}
