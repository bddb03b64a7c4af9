package dev.cdioutbox.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.UUID;

import jakarta.inject.Inject;

import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** With {@code outbox.outside-transaction=own-transaction}, an event outside a transaction gets one of its own. */
@ExtendWith(ArquillianExtension.class)
class OwnTransactionIT {
    @Inject
    Shop shop;

    @Inject
    OutboxOperations outbox;

    private final String order = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return Deployments.tests("outbox.outside-transaction=own-transaction");
    }

    @Test
    void eventOutsideOfATransactionGetsOneOfItsOwn() {
        shop.shipOutside(order);
        assertThat(outbox.find(OutboxFilter.all().withKey(order))).hasSize(1);
        await().atMost(Duration.ofMinutes(4)).until(() -> ReceiverBean.of(order).size() == 1);
    }

    @Test
    void eventAfterTheEndOfATransactionGetsOneOfItsOwn() {
        shop.shipAfterCommit(order);
        assertThat(outbox.find(OutboxFilter.all().withKey(order))).hasSize(1);
    }

    @Test
    void eventInsideOfATransactionStillBelongsToIt() {
        shop.shipAndRollBack(order);
        assertThat(outbox.find(OutboxFilter.all().withKey(order))).isEmpty();
    }
}
