package dev.cdioutbox.tests.backfill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import jakarta.annotation.Resource;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A new destination gets what was fired before its time, and then what waits for it, in the order of the key. */
@ExtendWith(ArquillianExtension.class)
class BackfillIT {
    private static final Duration SOON = Duration.ofMinutes(4);

    @Inject
    Event<Counted> events;

    @Inject
    UserTransaction transaction;

    @Inject
    OutboxOperations outbox;

    @Resource(lookup = "java:comp/DefaultJMSConnectionFactory")
    ConnectionFactory connections;

    @Resource(lookup = "jms/dead")
    Queue reports;

    @Deployment
    static WebArchive tests() {
        return Deployments.empty(
                        "outbox.application=backfill",
                        "outbox.destinations.default.jndi=jms/announcements",
                        "outbox.destinations.reports.jndi=jms/dead",
                        "outbox.dispatcher.interval=PT0.5S")
                .addPackage(BackfillIT.class.getPackage());
    }

    @Tag("full")
    @Test
    void newDestinationGetsTheOlderMessagesFirst() throws Exception {
        String key = UUID.randomUUID().toString();
        for (int number = 1; number <= 60; number++) {
            fire(key, number);
        }
        await().atMost(SOON).until(() -> stored(key, OutboxStatus.PUBLISHED).size() == 60);
        outbox.pause("reports");
        Route.isOpen = true;
        fire(key, 61);
        outbox.backfill("reports", "default", Set.of("counted"), Instant.EPOCH);
        outbox.resume("reports");
        fire(key, 62);

        await().atMost(SOON).until(() -> outbox.backfills().get(0).endedAt() != null);
        List<Integer> arrived = new ArrayList<>();
        List<Long> sequences = new ArrayList<>();
        try (JMSContext context = connections.createContext()) {
            JMSConsumer consumer = context.createConsumer(reports, "aggregateId = '" + key + "'");
            while (arrived.size() < 62) {
                Message message = consumer.receive(SOON.toMillis());
                arrived.add(number(message));
                sequences.add(message.getLongProperty("sequence"));
            }
            assertThat(consumer.receiveNoWait()).isNull();
        }
        assertThat(arrived).isSorted().doesNotHaveDuplicates();
        assertThat(sequences).isSorted();
        assertThat(outbox.backfills()).singleElement().satisfies(progress -> {
            assertThat(progress.copied()).isEqualTo(60);
            assertThat(progress.present()).isPositive();
        });
    }

    private void fire(String key, int number) throws Exception {
        transaction.begin();
        events.fire(new Counted(key, number));
        transaction.commit();
    }

    private List<OutboxMessage> stored(String key, OutboxStatus status) {
        return outbox.find(OutboxFilter.all().withKey(key).withStatus(status));
    }

    private static int number(Message message) throws JMSException {
        return Integer.parseInt(message.getBody(String.class).replaceAll(".*\"number\":(\\d+).*", "$1"));
    }
}
