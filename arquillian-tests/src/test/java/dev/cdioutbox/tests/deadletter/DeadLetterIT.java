package dev.cdioutbox.tests.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.UUID;

import jakarta.annotation.Resource;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A message that is given up arrives in the queue of the dead-letter destination. */
@ExtendWith(ArquillianExtension.class)
class DeadLetterIT {
    private static final Duration SOON = Duration.ofMinutes(4);

    @Inject
    Event<Offer> offers;

    @Inject
    UserTransaction transaction;

    @Inject
    OutboxOperations outbox;

    @Resource(lookup = "java:comp/DefaultJMSConnectionFactory")
    ConnectionFactory connections;

    @Resource(lookup = "jms/dead")
    Queue deadLetters;

    @Deployment
    static WebArchive tests() {
        return Deployments.empty(
                        "outbox.application=dead",
                        "outbox.destinations.default.jndi=jms/announcements",
                        "outbox.destinations.default.dead-letter=dead",
                        "outbox.destinations.dead.jndi=jms/dead",
                        "outbox.dispatcher.interval=PT0.5S")
                .addPackage(DeadLetterIT.class.getPackage());
    }

    @Test
    void expiredMessageArrivesThereAndSaysWhereItCameFrom() throws Exception {
        String id = UUID.randomUUID().toString();
        outbox.pause("default");
        try {
            transaction.begin();
            offers.fire(new Offer(id));
            transaction.commit();
            await().atMost(SOON).until(() -> stored(id, "default").terms().isExpired());
        } finally {
            outbox.resume("default");
        }

        try (JMSContext context = connections.createContext()) {
            Message letter = context.createConsumer(deadLetters, "aggregateId = '" + id + "'")
                    .receive(SOON.toMillis());
            OutboxMessage original = stored(id, "default");
            assertThat(original.delivery().status()).isEqualTo(OutboxStatus.EXPIRED);
            assertThat(letter.getStringProperty("causationId"))
                    .isEqualTo(original.id().toString());
            assertThat(letter.getStringProperty("deadLetterReason")).isEqualTo("expired");
            assertThat(letter.getStringProperty("deadLetterDestination")).isEqualTo("default");
            assertThat(letter.getBody(String.class)).isEqualTo(original.body().text());
        }
        await().atMost(SOON).until(() -> stored(id, "dead").delivery().status() == OutboxStatus.PUBLISHED);
    }

    private OutboxMessage stored(String id, String destination) {
        return outbox.find(OutboxFilter.all().withKey(id).withDestination(destination), OutboxPageRequest.of(1))
                .get(0);
    }
}
