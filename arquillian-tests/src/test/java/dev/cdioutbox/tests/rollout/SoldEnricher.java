package dev.cdioutbox.tests.rollout;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxMetadata;

/** Gives a message the id of its row in the old table. */
@ApplicationScoped
public class SoldEnricher implements OutboxEnricher {

    @Override
    public void enrich(Object event, OutboxMetadata metadata) {
        if (event instanceof Sold sold) {
            metadata.correlationId(sold.id());
        }
    }
}
