package dev.cdioutbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Endpoints of message-driven beans that are not active are found by the MBean of Open Liberty. */
class MessageEndpointsTest {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private ObjectName name;

    @BeforeEach
    void register() throws Exception {
        name = new ObjectName("WebSphere:feature=kernel,name=ServerEndpointControl");
        server.registerMBean(new StandardMBean(new Endpoints(), EndpointControl.class), name);
    }

    @AfterEach
    void unregister() throws Exception {
        if (server.isRegistered(name)) {
            server.unregisterMBean(name);
        }
    }

    @Test
    void beansOfThisApplicationThatAreNotActiveAreFound() {
        assertThat(MessageEndpoints.paused("shop")).containsExactly("shop#shop.war#Deaf");
        assertThat(MessageEndpoints.paused("")).containsExactly("shop#shop.war#Deaf", "other#other.war#Deaf");
    }

    @Test
    void anotherServerHasNone() throws Exception {
        server.unregisterMBean(name);

        assertThat(MessageEndpoints.paused("shop")).isEmpty();
    }

    /** As Liberty's ServerEndpointControlMBean. */
    public interface EndpointControl {
        List<String> listEndpoints();

        boolean isPaused(String endpoint);
    }

    private static final class Endpoints implements EndpointControl {
        @Override
        public List<String> listEndpoints() {
            return List.of(
                    "pausedHttpEndpoint", "shop#shop.war#Listening", "shop#shop.war#Deaf", "other#other.war#Deaf");
        }

        @Override
        public boolean isPaused(String endpoint) {
            return endpoint.startsWith("paused") || endpoint.endsWith("Deaf");
        }
    }
}
