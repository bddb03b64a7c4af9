package dev.cdioutbox.tests.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import jakarta.ejb.EJB;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An application that creates the tables itself when it starts, on an empty database, after the outbox has begun. */
@ExtendWith(ArquillianExtension.class)
class MigrationIT {
    @EJB
    MigrationBean migration;

    @Inject
    OutboxOperations operations;

    @Deployment
    static WebArchive application() {
        return Deployments.named(
                        "migration.war",
                        "outbox.schema=none",
                        "outbox.datasource=jdbc/later",
                        "outbox.dispatcher.shadow-destination=discard")
                .addClasses(MigrationBean.class, MigrationBean.Migrated.class);
    }

    @Test
    void eventsAreRefusedUntilTheTablesAreThereAndDispatchedThen() {
        assertThat(migration.refusal())
                .startsWith("OBX-0122: event " + MigrationBean.Migrated.class.getName() + " cannot be stored")
                .contains("OBX-0223: the tables of outbox_message are not there yet");

        await().atMost(Duration.ofMinutes(4)).untilAsserted(() -> assertThat(operations.find(OutboxFilter.all()))
                .singleElement()
                .satisfies(message -> {
                    assertThat(message.body().text()).contains("after");
                    assertThat(message.delivery().status()).isEqualTo(OutboxStatus.PUBLISHED);
                }));
    }
}
