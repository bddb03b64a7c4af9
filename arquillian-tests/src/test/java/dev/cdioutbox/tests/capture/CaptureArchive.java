package dev.cdioutbox.tests.capture;

import static dev.cdioutbox.tests.container.Deployments.jar;

import java.util.List;

import jakarta.enterprise.inject.spi.Extension;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.tests.capture.hidden.Hidden;
import dev.cdioutbox.tests.container.Deployments;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.jboss.shrinkwrap.api.ArchivePath;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/**
 * Builds the application of the capture tests. Its dispatcher is off, so that the rows stay as the capture wrote them.
 */
final class CaptureArchive {
    private static final List<String> API =
            List.of("/dev/cdioutbox/internal", "/META-INF/services", "/META-INF/beans.xml");

    /** A class of each of its jars. */
    private static final List<String> HIBERNATE = List.of(
            "org.hibernate.Session",
            "org.hibernate.models.spi.ModelsContext",
            "org.jboss.logging.Logger",
            "org.antlr.v4.runtime.Lexer",
            "jakarta.xml.bind.JAXBContext");

    private CaptureArchive() {}

    /**
     * Builds the application with the outbox.
     *
     * @param configuration further lines of microprofile-config.properties
     */
    static WebArchive ours(String dataSource, String... configuration) {
        return application(dataSource, "capture_", configuration)
                .addAsLibraries(Deployments.outbox())
                .addAsServiceProvider(Extension.class, ObjectorExtension.class);
    }

    /** Builds the application with the outbox, and with Hibernate in place of the server's EclipseLink. */
    static WebArchive onHibernate(String dataSource) {
        String unit = persistence(dataSource, "<provider>org.hibernate.jpa.HibernatePersistenceProvider</provider>");
        WebArchive war = ours(dataSource);
        war.delete("WEB-INF/classes/META-INF/persistence.xml");
        HIBERNATE.forEach(type -> war.addAsLibraries(jar(type)));
        return war.addAsResource(new StringAsset(unit), "META-INF/persistence.xml");
    }

    /** Builds the application with the API of the outbox only, and with {@link NaiveExtension}. */
    static WebArchive naive(String dataSource) {
        JavaArchive api = ShrinkWrap.createFromZipFile(JavaArchive.class, jar(OutboxEvent.class));
        for (ArchivePath path : List.copyOf(api.getContent().keySet())) {
            if (API.stream().anyMatch(path.get()::startsWith)) {
                api.delete(path);
            }
        }
        return application(dataSource, "naive_")
                .addAsLibraries(api)
                .addAsServiceProvider(Extension.class, NaiveExtension.class);
    }

    private static WebArchive application(String dataSource, String prefix, String... configuration) {
        String settings = """
                outbox.datasource=%s
                outbox.table-prefix=%s
                outbox.dispatcher.enabled=false
                %s
                """.formatted(dataSource, prefix, String.join("\n", configuration));
        return ShrinkWrap.create(WebArchive.class, "capture-tests.war")
                .addPackage(CaptureArchive.class.getPackage())
                .addAsLibraries(hidden())
                .addAsLibraries(jar(Assertions.class), jar(Awaitility.class), jar("org.hamcrest.Matcher"))
                .addAsLibraries(jar("net.bytebuddy.ByteBuddy"))
                .addAsResource(new StringAsset(settings), "META-INF/microprofile-config.properties")
                .addAsResource(new StringAsset(persistence(dataSource, "")), "META-INF/persistence.xml")
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml");
    }

    /** A library with an event class that CDI does not discover. */
    private static JavaArchive hidden() {
        return ShrinkWrap.create(JavaArchive.class, "hidden.jar")
                .addClass(Hidden.class)
                .addAsManifestResource(new StringAsset("""
                        <beans xmlns="https://jakarta.ee/xml/ns/jakartaee" version="4.0" bean-discovery-mode="none"/>
                        """), "beans.xml");
    }

    /** The persistence unit keeps the shared cache, which EclipseLink has by default. */
    private static String persistence(String dataSource, String provider) {
        return """
                <persistence xmlns="https://jakarta.ee/xml/ns/persistence" version="3.0">
                  <persistence-unit name="capture" transaction-type="JTA">
                    %s
                    <jta-data-source>%s</jta-data-source>
                    <class>%s</class>
                    <class>%s</class>
                    <exclude-unlisted-classes/>
                    <properties>
                      <property name="jakarta.persistence.schema-generation.database.action" value="drop-and-create"/>
                      <property name="hibernate.xml_mapping_enabled" value="false"/>
                      <property name="hibernate.delay_cdi_access" value="true"/>
                      <property name="hibernate.enhancer.enableLazyInitialization" value="false"/>
                      <property name="hibernate.enhancer.enableDirtyTracking" value="false"/>
                    </properties>
                  </persistence-unit>
                </persistence>
                """.formatted(provider, dataSource, Basket.class.getName(), Booking.class.getName());
    }
}
