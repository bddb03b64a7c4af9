package dev.cdioutbox.tests.recipes;

import java.net.URI;
import java.util.concurrent.atomic.AtomicReference;

import jakarta.enterprise.context.ApplicationScoped;

/** Where the test listens. */
@ApplicationScoped
public class Receivers {
    static final AtomicReference<URI> ADDRESS = new AtomicReference<>();

    URI of(String eventType) {
        return ADDRESS.get();
    }
}
