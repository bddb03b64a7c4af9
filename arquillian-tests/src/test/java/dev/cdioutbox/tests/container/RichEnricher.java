package dev.cdioutbox.tests.container;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxMetadata;

/** Sets each property that an enricher can set, for the events with the note {@link OrderShipped#RICH}. */
@ApplicationScoped
public class RichEnricher implements OutboxEnricher {

    @Override
    public void enrich(Object event, OutboxMetadata metadata) {
        if (event instanceof OrderShipped shipped && shipped.notes().contains(OrderShipped.RICH)) {
            metadata.header("source", "shop")
                    .externalHeader("region", "north")
                    .aggregateId("shipment-of-" + metadata.key())
                    .correlationId("correlation-" + metadata.key())
                    .causationId("cause")
                    .tenantId("tenant")
                    .timeToLive(Duration.ofHours(1))
                    .priority(7);
        }
    }
}
