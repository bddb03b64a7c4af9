package dev.cdioutbox.tests.handle.role;

import jakarta.annotation.Resource;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ejb.SessionContext;
import jakarta.ejb.Stateless;

/** Serves one role. */
@Stateless
@RolesAllowed(Vault.CLERK)
public class Vault {
    static final String CLERK = "clerk";

    @Resource
    SessionContext context;

    public void open() {}

    public void lock(String thing) {
        Reception.NOTES.add("clerk is " + context.getCallerPrincipal().getName() + " of a " + thing);
    }
}
