package dev.cdioutbox.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.UUID;

import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** With {@code outbox.dispatcher.lease}, events arrive once and in order, and a lease keeps other nodes away. */
@ExtendWith(ArquillianExtension.class)
class LeaseIT {
    @Inject
    Shop shop;

    @Inject
    ClaimProbe claims;

    @Inject
    OutboxOperations outbox;

    private final String order = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return Deployments.tests("outbox.dispatcher.delivery=at-least-once", "outbox.dispatcher.lease=PT1M");
    }

    @Test
    void eventsArriveOnceAndInOrder() {
        shop.ship(order, 10);

        await().atMost(Duration.ofMinutes(4))
                .until(() -> outbox.find(OutboxFilter.all().withKey(order).withStatus(OutboxStatus.PUBLISHED))
                                .size()
                        == 10);
        await().atMost(Duration.ofMinutes(4)).until(() -> ReceiverBean.of(order).size() == 10);
        assertThat(ReceiverBean.of(order))
                .extracting(received -> (Long) received.properties().get("sequence"))
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(outbox.find(OutboxFilter.all().withKey(order)))
                .extracting(OutboxMessage::delivery)
                .extracting(OutboxMessage.Delivery::attempts)
                .containsOnly(1);
    }

    @Test
    void leasedPartitionIsNotClaimedByAnotherNode() {
        shop.park(order);

        // The dispatcher claims the partition too, until the look-up of the queue fails. So the test retries.
        await().atMost(Duration.ofMinutes(4))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(claims.claimableThoughLeased()).isZero());
        await().atMost(Duration.ofMinutes(4)).until(() -> claims.claimable() > 0);
        outbox.discard(OutboxFilter.all().withKey(order), OutboxPageRequest.of(100));
    }
}
