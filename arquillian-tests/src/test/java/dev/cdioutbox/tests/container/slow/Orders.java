package dev.cdioutbox.tests.container.slow;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

/** Fires events of one key in one transaction. */
@ApplicationScoped
@Transactional
public class Orders {
    @Inject
    Event<OrderTaken> taken;

    public void taken(String order, int number) {
        for (int i = 0; i < number; i++) {
            taken.fire(new OrderTaken(order));
        }
    }
}
