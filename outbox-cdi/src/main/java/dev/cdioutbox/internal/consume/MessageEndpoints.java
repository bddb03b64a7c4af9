package dev.cdioutbox.internal.consume;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/** The endpoints of message-driven beans, as Open Liberty shows them by JMX. Other servers have none. */
public final class MessageEndpoints {
    private static final Logger LOG = Logger.getLogger(MessageEndpoints.class.getName());
    private static final String CONTROL = "WebSphere:feature=kernel,name=ServerEndpointControl";
    /** Between the names of application, module and bean; endpoints of HTTP have one name. */
    private static final String SEPARATOR = "#";

    private MessageEndpoints() {}

    /** The name of this application; empty if the thread belongs to none. */
    public static String application() {
        return named("java:app/AppName");
    }

    private static String named(String jndi) {
        try {
            return InitialContext.doLookup(jndi);
        } catch (NamingException | ClassCastException unknown) {
            return "";
        }
    }

    /**
     * The beans that get no message because their endpoints are not active. Liberty calls an endpoint paused, too, if it could
     * not be activated.
     *
     * @param application empty for all applications
     * @return empty on another server
     */
    public static List<String> paused(String application) {
        try {
            return all(application).stream().filter(MessageEndpoints::isPaused).toList();
        } catch (IllegalStateException e) {
            LOG.log(Level.FINE, "the endpoints are unknown", e);
            return List.of();
        }
    }

    /**
     * The endpoint of a bean of the module that this thread belongs to.
     *
     * @return null on another server, and if it cannot be told from one of another module
     */
    static String of(String bean) {
        return choose(all(application()), bean, named("java:module/ModuleName"));
    }

    static String choose(List<String> endpoints, String bean, String module) {
        List<String> named = endpoints.stream()
                .filter(endpoint -> endpoint.endsWith(SEPARATOR + bean))
                .toList();
        List<String> chosen = named.size() < 2
                ? named
                : named.stream().filter(endpoint -> isOf(module, endpoint)).toList();
        return chosen.size() == 1 ? chosen.get(0) : null;
    }

    /** The part of the module is the path of its file, whose name without its ending is the module's. */
    private static boolean isOf(String module, String endpoint) {
        String file = endpoint.split(SEPARATOR)[1];
        return file.substring(file.lastIndexOf('/') + 1)
                .replaceFirst("\\.[^.]*$", "")
                .equals(module);
    }

    private static List<String> all(String application) {
        String prefix = application.isEmpty() ? "" : application + SEPARATOR;
        return invoke("listEndpoints") instanceof Collection<?> names
                ? names.stream()
                        .map(String::valueOf)
                        .filter(endpoint -> endpoint.contains(SEPARATOR) && endpoint.startsWith(prefix))
                        .toList()
                : List.of();
    }

    /** @throws IllegalStateException if the server fails */
    static boolean isPaused(String endpoint) {
        return Boolean.TRUE.equals(invoke("isPaused", endpoint));
    }

    /**
     * Stops the deliveries to an endpoint, then waits for those in progress. Their threads must not wait for this call.
     *
     * @throws IllegalStateException if the server fails
     */
    static void pause(String endpoint) {
        invoke("pause", endpoint);
    }

    /** @throws IllegalStateException if the server fails */
    static void resume(String endpoint) {
        invoke("resume", endpoint);
    }

    /** Returns null on another server. */
    private static Object invoke(String operation, String... endpoint) {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName control = new ObjectName(CONTROL);
            return server.isRegistered(control)
                    ? server.invoke(
                            control,
                            operation,
                            endpoint,
                            endpoint.length == 0 ? new String[0] : new String[] {String.class.getName()})
                    : null;
        } catch (JMException | RuntimeException e) {
            throw new IllegalStateException(operation, e);
        }
    }
}
