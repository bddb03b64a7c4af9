package dev.cdioutbox.tests.handle.role;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A handler on Jakarta EE 10, behind a generic business interface, whose EJB has a role. */
@Tag("full")
class HandlerOnJakartaEe10IT {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void handlerHasTheRoleOfItsEjbWhoeverHasFired() {
        try (LibertyServer server = LibertyServer.sample("handler10")
                .onJakartaEe10()
                .runningAs(Vault.CLERK, "support")
                .running(application(), RoleServlet.PATH)
                .start()) {
            assertThat(Http.post(server.url(RoleServlet.PATH + "?thing=ring"), "")
                            .statusCode())
                    .isEqualTo(200);

            await().atMost(SOON).untilAsserted(() -> assertThat(
                            Http.get(server.url(RoleServlet.PATH)).body())
                    .isEqualTo("{ring=support}"));
            assertThat(server.log()).contains("jakartaee-10.0");
        }
    }

    private static WebArchive application() {
        return Deployments.withoutOutboxJms(Deployments.bare("sample.war"))
                .addPackage(HandlerOnJakartaEe10IT.class.getPackage())
                .addAsResource(new StringAsset("outbox.routes.*=local\n"), "META-INF/microprofile-config.properties");
    }
}
