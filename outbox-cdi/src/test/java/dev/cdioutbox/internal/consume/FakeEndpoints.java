package dev.cdioutbox.internal.consume;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/** Stands for Liberty's control of its endpoints, from its making to its end. */
public final class FakeEndpoints implements AutoCloseable {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final List<String> all;
    private final ObjectName name;
    public final Set<String> paused = ConcurrentHashMap.newKeySet();
    final List<String> calls = new ArrayList<>();
    /** Runs within a call of pause or resume. */
    Runnable within = () -> {};

    public FakeEndpoints(String... all) throws JMException {
        this.all = List.of(all);
        name = new ObjectName("WebSphere:feature=kernel,name=ServerEndpointControl");
        server.registerMBean(new StandardMBean(new Listed(), Control.class), name);
    }

    /** As Liberty's ServerEndpointControlMBean. */
    public interface Control {
        List<String> listEndpoints();

        boolean isPaused(String endpoint);

        void pause(String endpoint);

        void resume(String endpoint);
    }

    @Override
    public void close() throws JMException {
        server.unregisterMBean(name);
    }

    private final class Listed implements Control {
        @Override
        public List<String> listEndpoints() {
            return all;
        }

        @Override
        public boolean isPaused(String endpoint) {
            return paused.contains(endpoint);
        }

        @Override
        public void pause(String endpoint) {
            calls.add("pause " + endpoint);
            within.run();
            paused.add(endpoint);
        }

        @Override
        public void resume(String endpoint) {
            calls.add("resume " + endpoint);
            within.run();
            paused.remove(endpoint);
        }
    }
}
