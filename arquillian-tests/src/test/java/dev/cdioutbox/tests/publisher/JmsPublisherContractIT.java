package dev.cdioutbox.tests.publisher;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
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

    /** Each of them is as large as a batch may be. */
    @Test
    void messageThatTriesTheRoomDoesNotStay() throws PublishException, JMException {
        publisher().checkRoom(destination());

        Object depth = ManagementFactory.getPlatformMBeanServer()
                .getAttribute(new ObjectName("WebSphere:feature=wasJmsServer,type=Queue,name=cdioutbox.room"), "Depth");
        assertThat(depth).isEqualTo(0L);
    }

    @Override
    protected DestinationId fullDestination() {
        fill("jms/brimful");
        return DestinationId.ofDefaultOutbox("brimful");
    }
}
