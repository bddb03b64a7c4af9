package dev.cdioutbox.liberty.artemis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.transaction.xa.XAResource;

import jakarta.jms.JMSException;
import jakarta.jms.XAConnection;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ActivationSpec;

import org.apache.activemq.artemis.ra.ActiveMQResourceAdapter;
import org.apache.activemq.artemis.ra.inflow.ActiveMQActivationSpec;

/**
 * Artemis's resource adapter, with the recovery of message-driven beans that Liberty asks for. At a restart, Liberty asks
 * the adapter for the XA resource of each activation whose transactions a crash may have left in doubt. Artemis answers
 * that it recovers by itself, which it does on WildFly only; without a resource, Liberty's recovery never ends, and no
 * transaction in doubt is resolved, those of the outbox included.
 */
public final class RecoverableResourceAdapter extends ActiveMQResourceAdapter {
    private static final long serialVersionUID = 1L;

    /** Liberty uses a resource after this class has returned it, so the connections stay open until the adapter stops. */
    private final transient Map<ActivationSpec, XAConnection> recovering = new HashMap<>();

    @Override
    public synchronized XAResource[] getXAResources(ActivationSpec[] specs) throws ResourceException {
        List<XAResource> resources = new ArrayList<>();
        for (ActivationSpec spec : specs) {
            try {
                close(recovering.remove(spec));
                XAConnection connection = connect((ActiveMQActivationSpec) spec);
                recovering.put(spec, connection);
                resources.add(connection.createXASession().getXAResource());
            } catch (JMSException e) {
                // Liberty asks again later.
                throw new ResourceException("the broker cannot be reached for recovery", e);
            }
        }
        return resources.toArray(XAResource[]::new);
    }

    private XAConnection connect(ActiveMQActivationSpec spec) throws JMSException {
        return createRecoveryActiveMQConnectionFactory(spec).createXAConnection(spec.getUser(), spec.getPassword());
    }

    @Override
    public synchronized void stop() {
        recovering.values().forEach(RecoverableResourceAdapter::close);
        recovering.clear();
        super.stop();
    }

    private static void close(XAConnection connection) {
        if (connection != null) {
            try {
                connection.close();
            } catch (JMSException e) {
                // The broker ends the connection when it hears no more of it.
            }
        }
    }
}
