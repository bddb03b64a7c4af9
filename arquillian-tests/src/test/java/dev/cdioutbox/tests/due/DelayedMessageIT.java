package dev.cdioutbox.tests.due;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The container's timer wakes the worker when a delayed message is due. A poll would be too late for this test. */
@ExtendWith(ArquillianExtension.class)
class DelayedMessageIT {
    private static final Duration SOON = Duration.ofMinutes(4);

    @Inject
    Event<Reminder> reminders;

    @Inject
    UserTransaction transaction;

    @Inject
    OutboxOperations outbox;

    @Deployment
    static WebArchive tests() {
        return Deployments.empty(
                        "outbox.application=due",
                        "outbox.destinations.default.jndi=jms/announcements",
                        "outbox.dispatcher.interval=PT1H")
                .addPackage(DelayedMessageIT.class.getPackage());
    }

    @Test
    void delayedMessageIsSentWhenItIsDueWithoutAPoll() throws Exception {
        String id = UUID.randomUUID().toString();
        transaction.begin();
        reminders.fire(new Reminder(id));
        transaction.commit();
        assertThat(statuses(id)).containsExactly(OutboxStatus.PENDING);

        await().atMost(SOON).until(() -> statuses(id).equals(List.of(OutboxStatus.PUBLISHED)));
    }

    private List<OutboxStatus> statuses(String id) {
        return outbox.find(OutboxFilter.all().withKey(id)).stream()
                .map(message -> message.delivery().status())
                .toList();
    }
}
