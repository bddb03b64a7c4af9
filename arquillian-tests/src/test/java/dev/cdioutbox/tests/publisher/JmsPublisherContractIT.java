package dev.cdioutbox.tests.publisher;

import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.extension.ExtendWith;

/** The publisher for JMS keeps the contract of publishers, in transactions of Open Liberty and its messaging. */
@ExtendWith(ArquillianExtension.class)
class JmsPublisherContractIT extends JmsPublisherContract {

    JmsPublisherContractIT() {
        super("java:comp/DefaultJMSConnectionFactory");
    }

    @Deployment
    static WebArchive tests() {
        return Deployments.withTestKit(Deployments.empty(
                        "outbox.dispatcher.enabled=false",
                        "outbox.destinations.contract.jndi=jms/contract",
                        "outbox.destinations.brimful.jndi=jms/brimful"))
                .addPackage(JmsPublisherContractIT.class.getPackage());
    }

    @Override
    protected DestinationId fullDestination() {
        fill("jms/brimful");
        return DestinationId.ofDefaultOutbox("brimful");
    }
}
