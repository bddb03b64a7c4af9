package dev.cdioutbox.tests.handle.role;

import jakarta.ejb.EJB;
import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.OutboxHandler;

/** A handler without a role. */
@ApplicationScoped
public class Guest {
    @EJB
    Reception reception;

    @OutboxHandler("guest")
    void accept(Entrusted entrusted) {
        reception.note("guest");
    }
}
