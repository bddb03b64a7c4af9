package dev.cdioutbox.tests.outboxes;

import jakarta.annotation.Resource;
import jakarta.ejb.SessionContext;
import jakarta.ejb.Stateless;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

/** Fires events for both outboxes in one transaction. */
@Stateless
public class Counter {
    @Inject
    Event<Object> events;

    @Resource
    SessionContext context;

    public void sell(String order) {
        events.fire(new OrderTaken(order));
        events.fire(new InvoiceIssued(order));
    }

    public void sellAndRollBack(String order) {
        sell(order);
        context.setRollbackOnly();
    }
}
