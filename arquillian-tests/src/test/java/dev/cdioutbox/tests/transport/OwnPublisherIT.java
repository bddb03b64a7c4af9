package dev.cdioutbox.tests.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.MessagePublished;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A bean of the type OutboxPublisher is a transport: outbox-cdi dispatches to it, and tells the application. */
@ExtendWith(ArquillianExtension.class)
class OwnPublisherIT {
    private static final Duration SOON = Duration.ofMinutes(4);

    @Inject
    Event<Parcel> parcels;

    @Inject
    UserTransaction transaction;

    @Inject
    OwnPublisher publisher;

    @Inject
    OutboxOperations outbox;

    @Inject
    Published published;

    @Deployment
    static WebArchive tests() {
        return Deployments.withoutOutboxJms(Deployments.empty("outbox.dispatcher.delivery=at-least-once"))
                .addPackage(OwnPublisherIT.class.getPackage());
    }

    @Test
    void publisherOfTheApplicationGetsTheMessagesWithoutOutboxJms() throws Exception {
        String id = UUID.randomUUID().toString();
        transaction.begin();
        parcels.fire(new Parcel(id));
        transaction.commit();

        await().atMost(SOON).until(() -> published.keys().contains(id));
        assertThat(publisher.sent()).containsOnlyOnce("{\"id\":\"" + id + "\"}");
        assertThat(outbox.find(OutboxFilter.all().withKey(id)))
                .extracting(OutboxMessage::delivery)
                .extracting(OutboxMessage.Delivery::status)
                .containsExactly(OutboxStatus.PUBLISHED);
        Surroundings ofThisTest = Surroundings.ofThisThread();
        assertThat(ofThisTest.seesClasses()).isTrue();
        assertThat(publisher.surroundings()).isEqualTo(ofThisTest);
        assertThat(published.surroundings()).isEqualTo(ofThisTest);
    }

    /** The application's observer. */
    @ApplicationScoped
    public static class Published {
        private final List<String> keys = new CopyOnWriteArrayList<>();
        private volatile Surroundings surroundings;

        List<String> keys() {
            return keys;
        }

        Surroundings surroundings() {
            return surroundings;
        }

        void note(@Observes MessagePublished event) {
            surroundings = Surroundings.ofThisThread();
            keys.add(event.event().key());
        }
    }
}
