package dev.cdioutbox.tests.handle.role;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.annotation.Resource;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ejb.SessionContext;
import jakarta.ejb.Stateless;

/** Serves one role. */
@Stateless
public class Vault {
    static final String CLERK = "clerk";

    /** The callers by what they have locked away. */
    static final Map<String, String> CALLERS = new ConcurrentHashMap<>();

    @Resource
    SessionContext context;

    @RolesAllowed(CLERK)
    public void lock(String thing) {
        CALLERS.put(thing, context.getCallerPrincipal().getName());
    }
}
