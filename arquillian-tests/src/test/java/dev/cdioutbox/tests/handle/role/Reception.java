package dev.cdioutbox.tests.handle.role;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.ejb.EJBAccessException;
import jakarta.ejb.Schedule;
import jakarta.ejb.SessionContext;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import jakarta.security.enterprise.SecurityContext;

/** Notes who its callers are: for an EJB, for Jakarta Security, and for the vault. */
@Stateless
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Reception {
    static final Queue<String> NOTES = new ConcurrentLinkedQueue<>();

    @Resource
    SessionContext context;

    @Inject
    SecurityContext security;

    @EJB
    Vault vault;

    public void note(String caller) {
        NOTES.add(caller + " is " + context.getCallerPrincipal().getName() + ", " + security.getCallerPrincipal() + ", "
                + access());
    }

    private String access() {
        try {
            vault.open();
            return "admitted";
        } catch (EJBAccessException e) {
            return "refused";
        }
    }

    @Schedule(hour = "*", minute = "*", second = "*/5", persistent = false)
    void tick() {
        note("timer");
    }
}
