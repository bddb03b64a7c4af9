package dev.cdioutbox.tests.due;

import java.time.Instant;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxMetadata;

/** Delays a reminder. */
@ApplicationScoped
public class ReminderEnricher implements OutboxEnricher {

    @Override
    public void enrich(Object event, OutboxMetadata metadata) {
        metadata.deliverNotBefore(Instant.now().plusSeconds(2));
    }
}
