package dev.cdioutbox.tests.serialization;

import jakarta.ejb.Stateless;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

/** Fires events, and goes on when one is refused. */
@Stateless
public class Reservations {
    @Inject
    Event<Reserved> reserved;

    public void reserve(Reserved event) {
        reserved.fire(event);
    }

    /** Catches what fire() throws, as a careless application does; its other event must not commit all the same. */
    public RuntimeException reserveAndGoOn(Reserved valid, Reserved invalid) {
        reserved.fire(valid);
        try {
            reserved.fire(invalid);
            return null;
        } catch (RuntimeException refused) {
            return refused;
        }
    }
}
