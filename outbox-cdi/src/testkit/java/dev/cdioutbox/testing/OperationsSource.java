package dev.cdioutbox.testing;

import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPageRequest;

/** Finds messages from inside the application. */
record OperationsSource(OutboxOperations outbox) implements MessageSource {

    @Override
    public List<SeenMessage> undelivered() {
        return find(OutboxFilter.all().withStatus(OutboxStatus.PENDING, OutboxStatus.FAILED));
    }

    @Override
    public List<SeenMessage> abandoned(String key) {
        return find(OutboxFilter.all().withStatus(OutboxStatus.ABANDONED).withKey(key));
    }

    private List<SeenMessage> find(OutboxFilter filter) {
        return outbox.find(filter, OutboxPageRequest.of(LIMIT)).stream()
                .map(OperationsSource::seen)
                .toList();
    }

    private static SeenMessage seen(OutboxMessage message) {
        OutboxMessage.Delivery delivery = message.delivery();
        return new SeenMessage(
                message.id().toString(),
                message.event().type(),
                message.event().key(),
                delivery.destination(),
                delivery.status().name(),
                delivery.attempts(),
                delivery.lastError());
    }
}
