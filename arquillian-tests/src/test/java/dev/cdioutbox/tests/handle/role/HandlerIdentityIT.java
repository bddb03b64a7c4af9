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

/** A handler has the identity of a timer, or the role of its EJB, whoever has committed. */
class HandlerIdentityIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void handlerHasTheIdentityOfATimerUnlessItsEjbHasARole() {
        try (LibertyServer server = LibertyServer.sample("identity")) {
            assertIdentities(server);
        }
    }

    @Tag("full")
    @Test
    void itHasItOnJakartaEe10() {
        try (LibertyServer server = LibertyServer.sample("identity10").onJakartaEe10()) {
            assertIdentities(server);
            assertThat(server.log()).contains("jakartaee-10.0");
        }
    }

    private static void assertIdentities(LibertyServer server) {
        server.runningAs(Vault.CLERK, "support")
                .running(application(), RoleServlet.PATH)
                .start();
        String support = "?user=support&password=try-it&thing=";

        assertThat(Http.post(server.url(RoleServlet.PATH + support + "ring"), "")
                        .statusCode())
                .isEqualTo(200);

        await().atMost(SOON).untilAsserted(() -> assertThat(
                        Http.get(server.url(RoleServlet.PATH)).body())
                .contains("committer is support, WSPrincipal:support, admitted")
                .contains("timer is UNAUTHENTICATED, null, refused")
                .contains("guest is UNAUTHENTICATED, null, refused")
                .contains("clerk is support of a ring"));
    }

    private static WebArchive application() {
        return Deployments.withoutOutboxJms(Deployments.bare("sample.war"))
                .addPackage(HandlerIdentityIT.class.getPackage())
                .addAsResource(new StringAsset("outbox.routes.*=local\n"), "META-INF/microprofile-config.properties");
    }
}
