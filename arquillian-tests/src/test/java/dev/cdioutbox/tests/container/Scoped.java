package dev.cdioutbox.tests.container;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;

import dev.cdioutbox.OutboxEvent;

/** An event that a producer gives a normal scope, so that what is injected is a client proxy. */
@OutboxEvent
public class Scoped {
    private String order = "none";

    public String getOrder() {
        return order;
    }

    /** Produces the event, as an application does by mistake. */
    @ApplicationScoped
    public static class Producer {
        @Produces
        @ApplicationScoped
        Scoped scoped() {
            return new Scoped();
        }
    }
}
