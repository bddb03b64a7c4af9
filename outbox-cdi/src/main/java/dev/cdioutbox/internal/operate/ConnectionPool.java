package dev.cdioutbox.internal.operate;

import java.lang.management.ManagementFactory;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The connection pool of a DataSource, as Open Liberty shows it by JMX once the DataSource was used. */
final class ConnectionPool {
    private static final Logger LOG = Logger.getLogger(ConnectionPool.class.getName());
    private static final String POOLS = "WebSphere:type=com.ibm.ws.jca.cm.mbean.ConnectionManagerMBean,*";
    private static final String DEFAULT = "java:comp/DefaultDataSource";

    private ConnectionPool() {}

    /**
     * The most connections of the pool.
     *
     * @param jndi the name of the DataSource
     * @return null on another server, for a name that leads there by a reference, or without a limit
     */
    static Long size(String jndi) {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            for (ObjectName pool : server.queryNames(new ObjectName(POOLS), null)) {
                // The default DataSource has an id, and perhaps no JNDI name.
                boolean isDefault = String.valueOf(pool.getKeyProperty("name")).contains("[DefaultDataSource]");
                if (jndi.equals(server.getAttribute(pool, "jndiName")) || jndi.equals(DEFAULT) && isDefault) {
                    Long size = (Long) server.getAttribute(pool, "maxSize");
                    return size == 0 ? null : size;
                }
            }
        } catch (JMException | RuntimeException e) {
            LOG.log(Level.FINE, "the size of the connection pool is unknown", e);
        }
        return null;
    }
}
