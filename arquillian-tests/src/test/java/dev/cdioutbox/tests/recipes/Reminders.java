package dev.cdioutbox.tests.recipes;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPageRequest;

@ApplicationScoped
public class Reminders {
    @Inject
    private OutboxOperations outbox;

    @Transactional
    public void cancel(String orderId) {
        OutboxFilter waiting = OutboxFilter.all()
                .withEventType("ReminderDue")
                .withKey(orderId)
                .withStatus(OutboxStatus.PENDING, OutboxStatus.FAILED);
        outbox.discard(waiting, OutboxPageRequest.of(10));
    }
}
