package dev.cdioutbox.tests.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The view of the messages is read-only, and survives a persistence unit that drops and creates its tables. The
 * database begins with a table in the place of the view.
 */
@ExtendWith(ArquillianExtension.class)
@RunAsClient
class ViewIT {
    private static final String WAR = "view-tests";

    @ArquillianResource
    private Deployer deployer;

    private final String key = UUID.randomUUID().toString();

    @Deployment(name = WAR, managed = false, testable = false)
    static WebArchive tests() {
        return Deployments.outbox(WAR + ".war", "outbox.datasource=jdbc/generated")
                .addClasses(Note.class, Noted.class, Reader.class, ReaderServlet.class)
                .addAsResource(new StringAsset("""
                                <persistence xmlns="https://jakarta.ee/xml/ns/persistence" version="3.0">
                                  <persistence-unit name="notes">
                                    <jta-data-source>jdbc/generated</jta-data-source>
                                    <class>dev.cdioutbox.persistence.OutboxMessageView</class>
                                    <exclude-unlisted-classes>false</exclude-unlisted-classes>
                                    <properties>
                                      <property name="jakarta.persistence.schema-generation.database.action"
                                        value="drop-and-create" />
                                    </properties>
                                  </persistence-unit>
                                </persistence>
                                """), "META-INF/persistence.xml");
    }

    @BeforeEach
    void deploy() {
        deployer.deploy(WAR);
        assertThat(ask("note")).isEqualTo("done");
    }

    @AfterEach
    void undeploy() {
        deployer.undeploy(WAR);
    }

    @Test
    void messagesSurviveAUnitThatDropsAndCreatesItsTables() {
        String message = ask("messages");
        assertThat(message).isEqualTo("Noted absent {\"id\":\"" + key + "\"}");
        assertThat(ask("notes")).isEqualTo("1");
        assertThat(ask("tableType")).isEqualTo("VIEW");

        deployer.undeploy(WAR);
        deployer.deploy(WAR);

        assertThat(ask("notes")).as("the unit did drop its tables").isEqualTo("0");
        assertThat(ask("messages")).isEqualTo(message);
        assertThat(ask("tableType")).isEqualTo("VIEW");
    }

    @Test
    void nothingIsChangedThroughTheView() {
        String message = ask("messages");

        for (String attempt : new String[] {"persist", "remove", "update", "delete"}) {
            assertThat(ask(attempt)).as(attempt).isEqualTo("refused");
            assertThat(ask("messages")).as("after " + attempt).isEqualTo(message);
        }
    }

    private String ask(String call) {
        return Http.get(ManagedServer.url("/" + WAR + "/ask?call=" + call + "&key=" + key))
                .body();
    }
}
