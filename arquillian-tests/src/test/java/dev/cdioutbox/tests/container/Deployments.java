package dev.cdioutbox.tests.container;

import java.io.File;
import java.net.URISyntaxException;

import dev.cdioutbox.OutboxEvent;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** What every in-container test deploys: the two jars a user adds, and the tests' own beans. */
final class Deployments {
    private Deployments() {}

    /**
     * @param configuration lines of microprofile-config.properties
     */
    static WebArchive tests(String... configuration) {
        return ShrinkWrap.create(WebArchive.class, "container-tests.war")
                .addPackage(Deployments.class.getPackage())
                .addAsLibraries(jar(OutboxEvent.class), jar("dev.cdioutbox.jms.internal.DispatchTimer"))
                .addAsLibraries(jar(Assertions.class), jar(Awaitility.class), jar("org.hamcrest.Matcher"))
                .addAsLibraries(jar("net.bytebuddy.ByteBuddy"))
                .addAsResource(
                        new StringAsset(
                                "outbox.destinations.absent.jndi=jms/absent\n" + String.join("\n", configuration)),
                        "META-INF/microprofile-config.properties")
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml");
    }

    private static File jar(String className) {
        try {
            return jar(Class.forName(className, false, Deployments.class.getClassLoader()));
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static File jar(Class<?> type) {
        try {
            return new File(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
