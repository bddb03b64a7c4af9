package dev.cdioutbox.tests.ear;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.ManagedServer;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The gauges of an application stay when another one is deployed and undeployed. Both share the server's metric
 * registry.
 */
@ExtendWith(ArquillianExtension.class)
@RunAsClient
class TwoApplicationsIT {
    private static final String ONE = "app-one";
    private static final String TWO = "app-two";
    private static final Duration SOON = Duration.ofMinutes(4);

    @ArquillianResource
    Deployer deployer;

    @Deployment(name = ONE, managed = false, testable = false)
    static WebArchive one() {
        return war(ONE);
    }

    @Deployment(name = TWO, managed = false, testable = false)
    static WebArchive two() {
        return war(TWO);
    }

    private static WebArchive war(String name) {
        return Deployments.outbox(name + ".war", "outbox.application=" + name, "mp.metrics.appName=" + name);
    }

    @Tag("full")
    @Test
    void gaugesOfAnApplicationStayWhenAnotherComesAndGoes() {
        deployer.deploy(ONE);
        try {
            // All gauges exist when the outbox has read the backlog for the first time.
            await().atMost(SOON).until(() -> gauges(ONE).contains("outbox_messages"));
            Set<String> alone = gauges(ONE);
            assertThat(alone).contains("outbox_last_tick_age_seconds", "outbox_paused", "outbox_shadowing");
            deployer.deploy(TWO);
            try {
                await().atMost(SOON).until(() -> gauges(TWO), alone::equals);
                assertThat(gauges(ONE)).isEqualTo(alone);
            } finally {
                deployer.undeploy(TWO);
            }
            assertThat(gauges(TWO)).isEmpty();
            assertThat(gauges(ONE)).isEqualTo(alone);
        } finally {
            deployer.undeploy(ONE);
        }
    }

    /** The names of an application's gauges. */
    private static Set<String> gauges(String application) {
        String metrics =
                Http.get(ManagedServer.url("/metrics?scope=application")).body();
        Set<String> gauges = metrics.lines()
                .filter(line -> line.startsWith("# TYPE outbox_") && line.endsWith(" gauge"))
                .map(line -> line.split(" ")[2])
                .filter(name -> !name.endsWith("_max"))
                .collect(Collectors.toSet());
        return metrics.lines()
                .filter(line -> line.contains("mp_app=\"" + application + "\""))
                .map(line -> line.substring(0, line.indexOf('{')))
                .filter(gauges::contains)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
