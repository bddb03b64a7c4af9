package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.DestinationId;

/** Tells log and listeners what an {@link UnsentTransaction} has committed. */
final class UnsentReport {
    private static final Logger LOG = Logger.getLogger(UnsentReport.class.getName());

    private final DeliveryContext context;
    private final Environment environment;
    private final DestinationId id;

    UnsentReport(DeliveryContext context) {
        this.context = context;
        this.environment = context.environment();
        this.id = context.id();
    }

    /** @param letters the dead-letter copies */
    void tell(Unsent unsent, List<NewMessage> letters) {
        unsent.expired().forEach(message -> environment.notifyEach(l -> l.expired(id, message)));
        if (!letters.isEmpty()) {
            environment.notifyEach(l -> l.deadLettered(id, letters));
        }
        Instant now = context.now();
        unsent.charges().forEach(charge -> charged(charge, now));
        unsent.unreadable().forEach(this::unreadable);
    }

    private void charged(Charge charge, Instant now) {
        environment.notifyEach(l -> l.charged(id, charge.message(), charge.retry(), now, charge.cause()));
        if (charge.retry().isHeld()) {
            held(charge, now);
        }
    }

    /**
     * The destination may be at fault ({@link HeldMessages}). The finding ends with the next delivery, or when the next attempt is
     * long overdue: another node may have made it, or an operator may have discarded the message.
     */
    private void held(Charge held, Instant now) {
        Duration delay = held.retry().delay();
        Finding finding = OutboxCode.DESTINATION_FAILING.finding(
                id, held.message().id(), held.retry().error(), Duration.ofSeconds(delay.toSeconds()));
        LongSupplier nanos = environment.nanos();
        long overdue = nanos.getAsLong() + delay.multipliedBy(2).toNanos();
        // The listeners keep the question, which must not keep the claim with its messages.
        AtomicReference<Instant> lastDelivery = context.destination().lastDelivery();
        BooleanSupplier isOver =
                () -> AbandonPolicy.works(lastDelivery.get(), now, now) || nanos.getAsLong() - overdue > 0;
        environment.notifyEach(l -> l.held(id, finding, isOver));
    }

    private void unreadable(Retry row) {
        LOG.severe(OutboxCode.UNREADABLE_ROW.text(id, row.sequence(), row.error()));
        environment.notifyEach(l -> l.unreadable(id, row.sequence(), row.error()));
    }
}
