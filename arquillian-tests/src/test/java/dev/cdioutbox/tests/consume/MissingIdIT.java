package dev.cdioutbox.tests.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import jakarta.inject.Inject;

import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** With {@code outbox.inbox.missing-id=refuse}. */
@ExtendWith(ArquillianExtension.class)
class MissingIdIT {
    @Inject
    Ledger ledger;

    @Inject
    Post post;

    @Deployment
    static WebArchive tests() {
        return Deployments.empty("outbox.inbox.missing-id=refuse").addPackage(IdempotentConsumerIT.class.getPackage());
    }

    @Test
    void messageWithoutAnIdIsPutAside() {
        ledger.open();
        String text = "nameless " + UUID.randomUUID();
        post.send("jms/parcels", 1, text, Map.of());

        await().atMost(Duration.ofSeconds(60)).until(() -> text.equals(post.putAside(text)));
        assertThat(ledger.notes("parcels", text)).isEmpty();
        post.send("jms/parcels", 1, text, Map.of("messageId", text));
        await().atMost(Duration.ofSeconds(60))
                .until(() -> ledger.notes("parcels", text).size() == 1);
    }
}
