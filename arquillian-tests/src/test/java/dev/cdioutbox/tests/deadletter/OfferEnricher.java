package dev.cdioutbox.tests.deadletter;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxMetadata;

/** Ends the life of an offer early. */
@ApplicationScoped
public class OfferEnricher implements OutboxEnricher {

    @Override
    public void enrich(Object event, OutboxMetadata metadata) {
        metadata.timeToLive(Duration.ofMillis(100));
    }
}
