package dev.cdioutbox.tests.backfill;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxMetadata;

/** Sends events to the new destination, too, once it has opened. */
@ApplicationScoped
public class Route implements OutboxEnricher {
    static volatile boolean isOpen;

    @Override
    public void enrich(Object event, OutboxMetadata metadata) {
        if (isOpen) {
            metadata.destinations("default", "reports");
        }
    }
}
