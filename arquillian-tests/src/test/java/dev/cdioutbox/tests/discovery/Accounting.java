package dev.cdioutbox.tests.discovery;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import dev.cdioutbox.OutboxEvent;

/** Fires an event of a foreign class through each kind of injection point. */
@ApplicationScoped
@Transactional
public class Accounting {
    @Inject
    @OutboxEvent(type = "invoice.field", key = "number", destination = "absent")
    Event<Invoice> field;

    private Event<Invoice> constructor;
    private Event<Invoice> initializer;

    protected Accounting() {}

    @Inject
    Accounting(
            @OutboxEvent(type = "invoice.constructor", key = "number", destination = "absent")
                    Event<Invoice> constructor) {
        this.constructor = constructor;
    }

    @Inject
    void initialize(
            @OutboxEvent(type = "invoice.initializer", key = "number", destination = "absent")
                    Event<Invoice> initializer) {
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
