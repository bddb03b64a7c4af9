package dev.cdioutbox.tests.rollout;

import java.util.UUID;

import jakarta.ejb.Stateless;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

/** The business: during the rollout, it writes each sale to both outboxes in one transaction. */
@Stateless
public class Till {
    @Inject
    OldTables tables;

    @Inject
    Event<Sold> sold;

    public void sell(String basket) {
        int number = tables.next(basket);
        Sold event = new Sold(basket, number, UUID.randomUUID().toString());
        tables.write(event);
        sold.fire(event);
    }
}
