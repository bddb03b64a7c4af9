package dev.cdioutbox.tests.handle.role;

import jakarta.annotation.security.RunAs;
import jakarta.ejb.EJB;
import jakarta.ejb.Stateless;

import dev.cdioutbox.OutboxHandler;

/** A handler with a business interface and a role. */
@Stateless
@RunAs(Vault.CLERK)
public class Clerk implements Desk<Entrusted> {
    @EJB
    Vault vault;

    @Override
    @OutboxHandler("clerk")
    public void accept(Entrusted entrusted) {
        vault.lock(entrusted.thing());
    }
}
