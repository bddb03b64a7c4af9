package dev.cdioutbox.tests.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

import dev.cdioutbox.tests.server.GlassFishServer;
import org.junit.jupiter.api.Test;

/** GlassFish, and what has come from it. */
abstract class OnGlassFish extends ServerContract {
    private static final String SETTING = "resources.jdbc-connection-pool.ShopPool.allow-non-component-callers=";

    private final String name;
    private GlassFishServer server;

    OnGlassFish(String name) {
        super("glassfish-payara.md", "create-jdbc", "Eclipse OpenMQ");
        this.name = name;
    }

    @Override
    final GlassFishServer create() {
        server = new GlassFishServer(name, Path.of(System.getProperty(name + ".home")));
        return server;
    }

    @Override
    final Map<String, String> files() throws IOException {
        return Map.of("WEB-INF/ejb-jar.xml", block("<ejb-jar"));
    }

    /** Without it, the pool gives the outbox a connection that is not in the transaction. */
    @Test
    void deploymentWithoutTheSettingOfThePoolIsRefused() {
        server.undeploy(war());
        set("false");
        try {
            assertThatThrownBy(this::deploy).hasMessageContaining("OBX-0208");
        } finally {
            set("true");
        }
        // After a failed deployment, GlassFish fails all others until a restart.
        server.kill();
        server.start(server.url("/"));
        deploy();
    }

    private void set(String value) {
        server.call(war().getParent(), "set", SETTING + value);
        assertThat(server.log()).contains(SETTING + value);
    }
}
