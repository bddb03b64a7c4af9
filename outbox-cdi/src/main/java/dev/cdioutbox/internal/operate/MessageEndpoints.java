package dev.cdioutbox.internal.operate;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/** The endpoints of message-driven beans, as Open Liberty shows them by JMX. */
final class MessageEndpoints {
    private static final Logger LOG = Logger.getLogger(MessageEndpoints.class.getName());
    private static final String CONTROL = "WebSphere:feature=kernel,name=ServerEndpointControl";
    /** Between the names of application, module and bean; endpoints of HTTP have one name. */
    private static final String SEPARATOR = "#";

    private MessageEndpoints() {}

    /** The name of this application; empty if the thread belongs to none. */
    static String application() {
        try {
            return InitialContext.doLookup("java:app/AppName");
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
    static List<String> paused(String application) {
        String prefix = application.isEmpty() ? "" : application + SEPARATOR;
        List<String> paused = new ArrayList<>();
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName control = new ObjectName(CONTROL);
            if (!server.isRegistered(control)) {
                return paused;
            }
            for (Object name : (Collection<?>) server.invoke(control, "listEndpoints", null, null)) {
                String endpoint = String.valueOf(name);
                if (endpoint.contains(SEPARATOR)
                        && endpoint.startsWith(prefix)
                        && isPaused(server, control, endpoint)) {
                    paused.add(endpoint);
                }
            }
        } catch (JMException | RuntimeException e) {
            LOG.log(Level.FINE, "the endpoints are unknown", e);
        }
        return paused;
    }

    private static boolean isPaused(MBeanServer server, ObjectName control, String endpoint) throws JMException {
        return Boolean.TRUE.equals(
                server.invoke(control, "isPaused", new Object[] {endpoint}, new String[] {String.class.getName()}));
    }
}
