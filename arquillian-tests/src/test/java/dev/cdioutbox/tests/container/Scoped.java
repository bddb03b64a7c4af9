package dev.cdioutbox.tests.container;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;

import dev.cdioutbox.OutboxEvent;

/** An event class that a producer puts into a normal scope, so that CDI injects a client proxy. */
@OutboxEvent
public class Scoped {
    private String order = "none";

    public String getOrder() {
        return order;
    }

    @ApplicationScoped
    public static class Producer {
        @Produces
        @ApplicationScoped
        Scoped scoped() {
            return new Scoped();
        }
    }
}
