package dev.cdioutbox.tests.serialization;

import jakarta.ejb.Stateless;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

/** Fires events, and continues if one is refused. */
@Stateless
public class Reservations {
    @Inject
    Event<Reserved> reserved;

    public void reserve(Reserved event) {
        reserved.fire(event);
    }

    /**
     * Catches the exception of fire() and continues, as a careless application does. The valid event must not commit.
     */
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
