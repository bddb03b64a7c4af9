package dev.cdioutbox.tests.finalmethod;

import jakarta.ejb.Stateless;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

@Stateless
public class Firing {
    @Inject
    Event<Happened> happened;

    public void fire(String id) {
        happened.fire(new Happened(id));
    }
}
