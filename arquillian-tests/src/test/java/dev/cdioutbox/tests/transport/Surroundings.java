package dev.cdioutbox.tests.transport;

import javax.naming.InitialContext;
import javax.naming.NamingException;

/**
 * What a thread of the outbox has of the application.
 *
 * @param module the name of the module whose JNDI names it sees
 * @param seesClasses whether its context class loader finds the classes of the application
 */
record Surroundings(String module, boolean seesClasses) {

    static Surroundings ofThisThread() {
        try {
            Class<?> found = Class.forName(
                    Parcel.class.getName(), false, Thread.currentThread().getContextClassLoader());
            return new Surroundings(InitialContext.doLookup("java:module/ModuleName"), found == Parcel.class);
        } catch (NamingException | ClassNotFoundException e) {
            return new Surroundings(e.toString(), false);
        }
    }
}
