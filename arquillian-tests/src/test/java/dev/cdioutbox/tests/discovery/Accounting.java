package dev.cdioutbox.tests.discovery;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import dev.cdioutbox.Outbox;

/** Fires an event of a foreign class through each kind of injection point. */
@ApplicationScoped
@Transactional
public class Accounting {
    @Inject
    @Outbox(type = "invoice.field", key = "number", destination = "absent")
    Event<Invoice> field;

    private Event<Invoice> constructor;
    private Event<Invoice> initializer;

    protected Accounting() {}

    @Inject
    Accounting(
            @Outbox(type = "invoice.constructor", key = "number", destination = "absent") Event<Invoice> constructor) {
        this.constructor = constructor;
    }

    @Inject
    void initialize(
            @Outbox(type = "invoice.initializer", key = "number", destination = "absent") Event<Invoice> initializer) {
        this.initializer = initializer;
    }

    public void issueThroughField(String number) {
        field.fire(new Invoice(number));
    }

    public void issueThroughConstructor(String number) {
        constructor.fire(new Invoice(number));
    }

    public void issueThroughInitializer(String number) {
        initializer.fire(new Invoice(number));
    }
}
