package dev.cdioutbox.tests.sample;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.ReceivedEvent;

/** Handles what {@link StoringBean} has stored; its work is only that it was called. */
@ApplicationScoped
public class StoredWork {
    @OutboxHandler(value = "arrivals", types = "OrderPlaced")
    void handle(ReceivedEvent event) {
        event.text();
    }
}
