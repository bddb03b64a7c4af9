package dev.cdioutbox.tests.capture;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxMetadata;

/** Fires an event of its own while it enriches another one. */
@ApplicationScoped
public class ChattyEnricher implements OutboxEnricher {
    static final String ASKED = "fires another event when it is enriched";
    static final String ANSWER = "fired by the enricher";

    @Inject
    Event<Object> events;

    @Override
    public void enrich(Object event, OutboxMetadata metadata) {
        if (event instanceof Noted noted && noted.token().equals(ASKED)) {
            events.fire(new Noted(noted.key(), ANSWER));
        }
    }
}
