package dev.cdioutbox.tests.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import jakarta.inject.Inject;

import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.importer.ZipImporter;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The sample makes one shipment of all copies of a message, though its consumer handles several messages at a time. */
@ExtendWith(ArquillianExtension.class)
class CopiesOfAShipmentIT {
    private static final int COPIES = 50;

    @Inject
    Ledger ledger;

    @Inject
    Post post;

    @Deployment
    static WebArchive tests() {
        return Deployments.assertions(ShrinkWrap.create(ZipImporter.class, "shipping-tests.war")
                        .importFrom(new File(System.getProperty("sample.war")))
                        .as(WebArchive.class))
                .addClasses(CopiesOfAShipmentIT.class, Handler.class, Ledger.class, Post.class, SkipCount.class);
    }

    @Test
    void messageThatIsSentManyTimesGivesOneShipment() {
        String order = UUID.randomUUID().toString();
        post.send(
                "jms/outbox",
                COPIES,
                "{\"orderId\":\"" + order + "\"}",
                Map.of("messageId", order, "eventType", "OrderPlaced", "aggregateId", order, "sequence", 1L));

        // The consumer skips a copy only after the transaction of the first one has committed.
        await().atMost(Duration.ofMinutes(4)).until(() -> SkipCount.skipped() >= COPIES - 1);
        assertThat(ledger.query("SELECT order_id FROM shipment WHERE order_id = ?", order))
                .containsExactly(order);
        assertThat(SkipCount.skipped()).isEqualTo(COPIES - 1);
    }
}
