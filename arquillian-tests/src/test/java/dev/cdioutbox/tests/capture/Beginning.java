package dev.cdioutbox.tests.capture;

import java.util.UUID;

import jakarta.annotation.PostConstruct;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

/** Fires events at the start of the application, as early as an application can. */
@Singleton
@Startup
public class Beginning {
    static final String STARTED = "started";
    static final String INITIALIZED = "initialized";

    @Inject
    Event<Object> events;

    private final String key = UUID.randomUUID().toString();

    @PostConstruct
    void start() {
        events.fire(new Noted(key, STARTED));
    }

    public void initialized(@Observes @Initialized(ApplicationScoped.class) Object application) {
        events.fire(new Noted(key, INITIALIZED));
    }

    public String key() {
        return key;
    }
}
