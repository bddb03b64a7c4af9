package dev.cdioutbox.tests.container.slow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.UUID;

import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.container.ServerLog;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A broker that needs more time for a batch than its transaction has gets the messages in smaller transactions. */
@ExtendWith(ArquillianExtension.class)
class SlowBrokerIT {
    /** The dispatcher's transactions, and no others, time out after 4 s. */
    private static final String SHORT_TRANSACTIONS = """
            <ejb-jar-ext xmlns="http://websphere.ibm.com/xml/ns/javaee" version="1.1">
              <session name="ContainerTransactions"><global-transaction transaction-time-out="4" /></session>
            </ejb-jar-ext>""";

    @Inject
    Orders orders;

    @Inject
    OutboxOperations outbox;

    private final String order = UUID.randomUUID().toString();
    private ServerLog log;

    @Deployment
    static WebArchive tests() {
        return Deployments.empty()
                .addPackage(SlowBrokerIT.class.getPackage())
                .addClass(ServerLog.class)
                .addAsWebInfResource(new StringAsset(SHORT_TRANSACTIONS), "ibm-ejb-jar-ext.xml");
    }

    @BeforeEach
    void openLog() {
        log = new ServerLog();
    }

    @Tag("full")
    @Test
    void sendingEndsBeforeItsTransactionTimesOut() {
        SlowPublisher.slowToSend = order;
        orders.taken(order, 16);

        awaitPublished(16);
        assertThat(log.lines("OBX-0424")).isEmpty();
        assertThat(log.lines("WTRN0006W")).isEmpty();
    }

    @Test
    void batchThatTimesOutIsDeliveredInHalvesAndTheLogNamesTheTimeOut() {
        SlowPublisher.slowToEnd = order;
        orders.taken(order, 2);

        awaitPublished(2);
        assertThat(log.lines("OBX-0411: destination 'default': a batch of 2", "OBX-0424", "time-out of 4 s"))
                .hasSize(1);
    }

    private void awaitPublished(int messages) {
        await().atMost(Duration.ofMinutes(4))
                .until(() -> outbox.find(OutboxFilter.all().withKey(order).withStatus(OutboxStatus.PUBLISHED))
                                .size()
                        == messages);
        assertThat(outbox.find(OutboxFilter.all().withKey(order)))
                .extracting(OutboxMessage::delivery)
                .extracting(OutboxMessage.Delivery::attempts)
                .containsOnly(1);
    }
}
