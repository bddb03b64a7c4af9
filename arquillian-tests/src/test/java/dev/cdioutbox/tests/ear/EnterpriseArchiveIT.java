package dev.cdioutbox.tests.ear;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;

import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.ear.shared.Shared;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.ManagedServer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Each WAR of an EAR publishes its own events only, though CDI sends the events of each WAR to the observers of both.
 */
@ExtendWith(ArquillianExtension.class)
@RunAsClient
class EnterpriseArchiveIT {
    private static final String ONE = "ear-one-1.2.3";
    private static final String TWO = "ear-two";

    private final String id = UUID.randomUUID().toString();

    @Deployment(testable = false)
    static EnterpriseArchive tests() {
        return ShrinkWrap.create(EnterpriseArchive.class, "ear-tests.ear")
                .addAsModules(war(ONE, "jms/latest"), war(TWO, "jms/parcels"))
                .addAsLibraries(shared());
    }

    static WebArchive war(String name, String queue) {
        return Deployments.outbox(name + ".war", "outbox.destinations.default.jndi=" + queue)
                .addClasses(FiringServlet.class, Own.class);
    }

    static JavaArchive shared() {
        return ShrinkWrap.create(JavaArchive.class, "shared.jar").addPackage(Shared.class.getPackage());
    }

    @Test
    void eventOfAWarIsPublishedByItsOwnOutboxAlone() {
        assertThat(get(ONE, "own")).isEqualTo("committed");
        assertThat(get(TWO, "own")).isEqualTo("committed");
        assertThat(get(ONE, "own")).isEqualTo("committed");

        assertThat(get(ONE, "received")).isEqualTo("Own " + id);
        assertThat(get(ONE, "received")).isEqualTo("Own " + id);
        assertThat(get(TWO, "received")).isEqualTo("Own " + id);
    }

    /** The deployment does not configure outbox.application. */
    @Test
    void rowsOfAWarHaveItsNameWithoutTheVersion() {
        assertThat(get(ONE, "own")).isEqualTo("committed");
        assertThat(get(ONE, "applications")).isEqualTo("[ear-one]");
        assertThat(get(ONE, "received")).isEqualTo("Own " + id);

        assertThat(get(TWO, "own")).isEqualTo("committed");
        assertThat(get(TWO, "applications")).isEqualTo("[ear-one, ear-two]");
        assertThat(get(TWO, "received")).isEqualTo("Own " + id);
    }

    @Test
    void eventOfALibraryOfTheEarIsPublishedByTheOutboxWhoseQualifierItWasFiredWith() {
        assertThat(get(TWO, "shared")).isEqualTo("committed");

        assertThat(get(TWO, "received")).isEqualTo("shared " + id);
    }

    @Test
    void eventOfAnEarLibraryWhoseAnnotationIsInvisibleIsRefused() {
        assertThat(get(ONE, "annotated"))
                .startsWith("OBX-0118: event dev.cdioutbox.tests.ear.shared.SharedAndAnnotated");
    }

    private String get(String war, String path) {
        return Http.get(ManagedServer.url("/" + war + "/" + path + "?id=" + id)).body();
    }
}
