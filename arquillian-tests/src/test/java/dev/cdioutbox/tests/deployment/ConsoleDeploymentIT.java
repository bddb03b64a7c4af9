package dev.cdioutbox.tests.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;

import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.ManagedServer;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The console is registered only if it is enabled, and only at a free path. The server has no login, so an
 * enabled console refuses each request.
 */
@ExtendWith(ArquillianExtension.class)
@RunAsClient
class ConsoleDeploymentIT {
    private static final String TAKEN =
            "OBX-0612: the console is not served, because the application has a servlet or files at /outbox.";

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = "console-off", managed = false, testable = false)
    static WebArchive off() {
        return Deployments.outbox("console-off.war").addClass(Registrations.class);
    }

    @Test
    void nothingIsRegisteredUnlessItIsEnabled() {
        assertDeployed("console-off", () -> {
            assertThat(get("/console-off/outbox/").statusCode()).isEqualTo(404);
            assertThat(get("/console-off/outbox/api/v1/state").statusCode()).isEqualTo(404);
            assertThat(get("/console-off/registrations").body()).doesNotContain("Console");
        });
    }

    @Deployment(name = "console-elsewhere", managed = false, testable = false)
    static WebArchive elsewhere() {
        return Deployments.outbox(
                        "console-elsewhere.war", "outbox.console.enabled=true", "outbox.console.path=/admin/messages")
                .addClass(Registrations.class);
    }

    @Test
    void pathIsConfigured() {
        String log = assertDeployed("console-elsewhere", () -> {
            assertThat(get("/console-elsewhere/admin/messages/").statusCode()).isEqualTo(403);
            assertThat(get("/console-elsewhere/outbox/").statusCode()).isEqualTo(404);
            assertThat(get("/console-elsewhere/registrations").body()).contains("/admin/messages/*");
        });
        assertThat(log)
                .contains("OBX-0611: the console is at /console-elsewhere/admin/messages/ for users with the role"
                        + " outbox-viewer, outbox-support or outbox-admin.");
    }

    @Deployment(name = "console-taken", managed = false, testable = false)
    static WebArchive taken() {
        return Deployments.outbox("console-taken.war", "outbox.console.enabled=true")
                .addClasses(Registrations.class, OwnOutbox.class);
    }

    @Tag("full")
    @Test
    void servletOfTheApplicationKeepsItsPath() {
        String log = assertDeployed("console-taken", () -> {
            assertThat(get("/console-taken/outbox/").body()).isEqualTo("the application's own");
            assertThat(get("/console-taken/registrations").body()).doesNotContain("Console");
        });
        assertThat(log).contains(TAKEN);
    }

    @Deployment(name = "console-files", managed = false, testable = false)
    static WebArchive files() {
        return Deployments.outbox("console-files.war", "outbox.console.enabled=true")
                .addAsWebResource(new StringAsset("the application's file"), "outbox/index.html");
    }

    @Tag("full")
    @Test
    void filesOfTheApplicationKeepTheirPath() {
        String log = assertDeployed(
                "console-files",
                () -> assertThat(get("/console-files/outbox/index.html").body()).isEqualTo("the application's file"));
        assertThat(log).contains(TAKEN);
    }

    /** Returns the lines that the server has logged in the meantime. */
    private String assertDeployed(String name, Runnable assertions) {
        int before = ManagedServer.log().length();
        deployer.deploy(name);
        try {
            assertions.run();
        } finally {
            deployer.undeploy(name);
        }
        return ManagedServer.log().substring(before);
    }

    private static HttpResponse<String> get(String path) {
        return Http.get(ManagedServer.url(path));
    }
}
