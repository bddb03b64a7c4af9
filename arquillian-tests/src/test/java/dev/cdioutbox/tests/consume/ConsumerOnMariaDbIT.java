package dev.cdioutbox.tests.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.MariaDbServer;
import dev.cdioutbox.operate.OutboxFilter;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;

/**
 * The promises hold on MariaDB too, where copies wait for the first one. An event of a consumer also reaches the
 * broker.
 */
class ConsumerOnMariaDbIT extends ConsumerContract {

    @Deployment
    static WebArchive tests() {
        assertThat(MariaDbServer.url("consume")).as("it runs").isNotEmpty();
        return archive("outbox.datasource=jdbc/mariadb");
    }

    @Test
    void whatAConsumerFiresIsPublished() {
        String text = "reply " + id;
        post.send("jms/parcels", 1, text, Map.of("messageId", id));

        await().atMost(SOON).until(() -> outbox.find(OutboxFilter.all().withKey(text)).stream()
                .map(message -> message.delivery().status())
                .toList()
                .equals(List.of(OutboxStatus.PUBLISHED)));
    }

    @Test
    void databaseIsTheOneThatIsMeant() {
        assertThat(ledger.query("SELECT VERSION()")).singleElement().asString().contains("MariaDB");
        assertThat(ledger.query("SELECT @@idle_transaction_timeout")).containsExactly("180");
    }
}
