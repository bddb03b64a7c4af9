package dev.cdioutbox.internal.deployment;

import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;

/** Looks the platform's services up by their JNDI names. */
public final class PlatformServices {
    private PlatformServices() {}

    /** A service of the platform, which every Jakarta EE component finds under {@code java:comp}. */
    public static <T> T platform(Class<T> type) {
        return lookUp(type, "java:comp/" + type.getSimpleName(), "none: the platform brings it");
    }

    /** Whether there is a naming service, as on every server. */
    public static boolean areNamed() {
        try {
            return InitialContext.doLookup("java:comp") != null;
        } catch (NoInitialContextException notOnAServer) {
            return false;
        } catch (NamingException nameUnknown) {
            return true;
        }
    }

    /** Whether the application sees a class of the platform, for example because the server has a feature. */
    public static boolean isPresent(String className) {
        try {
            Class.forName(className, false, PlatformServices.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError absent) {
            return false;
        }
    }

    public static <T> T lookUp(Class<T> type, String jndi, String key) {
        try {
            Object found = InitialContext.doLookup(jndi);
            if (type.isInstance(found)) {
                return type.cast(found);
            }
            throw OutboxCode.SERVICE_NOT_FOUND.exception(
                    type.getSimpleName(),
                    jndi,
                    key,
                    "it is a " + found.getClass().getName());
        } catch (NamingException e) {
            throw OutboxCode.SERVICE_NOT_FOUND.exception(e, type.getSimpleName(), jndi, key, FailureReason.of(e));
        }
    }
}
