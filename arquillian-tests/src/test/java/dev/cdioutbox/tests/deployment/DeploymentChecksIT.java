package dev.cdioutbox.tests.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import jakarta.enterprise.inject.spi.Extension;

import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.ManagedServer;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ArchivePath;
import org.jboss.shrinkwrap.api.Filters;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.ClassAsset;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.importer.ZipImporter;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A mistake in an application fails its deployment, and not its first event. The message names the place and the
 * remedy.
 */
@ExtendWith(ArquillianExtension.class)
@RunAsClient
class DeploymentChecksIT {
    private static final Duration SOON = Duration.ofMinutes(4);
    private static final String NOWHERE = "goes to destination 'nowhere', which is not configured. Set"
            + " outbox.destinations.nowhere.jndi, or .topic, and restart the application, or correct the name; configured are [";

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = "destination-of-annotation", managed = false, testable = false)
    static WebArchive destinationOfAnnotation() {
        return application("destination-of-annotation").addClass(Mistakes.ToNowhere.class);
    }

    @Test
    void unknownDestinationOfAnAnnotation() {
        assertRefused(
                "destination-of-annotation", "OBX-0112: event " + Mistakes.ToNowhere.class.getName() + " " + NOWHERE);
    }

    @Deployment(name = "destination-of-qualifier", managed = false, testable = false)
    static WebArchive destinationOfQualifier() {
        return application("destination-of-qualifier")
                .addClasses(Mistakes.InjectsToNowhere.class, Mistakes.Plain.class);
    }

    @Tag("full")
    @Test
    void unknownDestinationOfAQualifier() {
        assertRefused("destination-of-qualifier", "OBX-0112: event " + Mistakes.Plain.class.getName() + " " + NOWHERE);
    }

    @Deployment(name = "no-outbox", managed = false, testable = false)
    static WebArchive noOutbox() {
        return application("no-outbox").addClass(Mistakes.ToNoOutbox.class);
    }

    @Tag("full")
    @Test
    void unknownOutboxOfAnAnnotation() {
        assertRefused(
                "no-outbox",
                "OBX-0211: event " + Mistakes.ToNoOutbox.class.getName()
                        + " belongs to the outbox 'elsewhere', which is not"
                        + " configured (key outbox.outboxes.elsewhere.datasource). Configured are [default]");
    }

    @Deployment(name = "wrong-value", managed = false, testable = false)
    static WebArchive wrongValue() {
        return application(
                "wrong-value",
                "outbox.payload.max-size=much",
                "outbox.ordering=sorted",
                "outbox.routes.Placed=nowhere");
    }

    @Test
    void wrongValuesAndRoutesAreAllNamedAtOnce() {
        assertRefused(
                "wrong-value",
                "OBX-0201: ",
                "outbox.payload.max-size",
                "'much'",
                "outbox.ordering",
                "'sorted'",
                "strict",
                "outbox.routes.Placed",
                "'nowhere'");
    }

    @Deployment(name = "no-data-source", managed = false, testable = false)
    static WebArchive noDataSource() {
        return application("no-data-source", "outbox.datasource=jdbc/forgotten");
    }

    @Test
    void missingDataSource() {
        assertRefused(
                "no-data-source",
                "OBX-0203: DataSource was not found under the JNDI name jdbc/forgotten (key outbox.datasource)",
                "Define it in server.xml");
    }

    @Deployment(name = "no-transactions", managed = false, testable = false)
    static WebArchive noTransactions() {
        return application("no-transactions", "outbox.datasource=jdbc/plain");
    }

    @Test
    void dataSourceThatTakesNoPartInTransactions() {
        assertRefused(
                "no-transactions",
                "OBX-0208: the DataSource jdbc/plain (key outbox.datasource) does not follow JTA transactions",
                "remove transactional=\"false\" from");
    }

    @Deployment(name = "other-tables", managed = false, testable = false)
    static WebArchive otherTables() {
        return application("other-tables", "outbox.dispatcher.datasource=jdbc/small");
    }

    @Tag("full")
    @Test
    void dispatcherWithTheTablesOfAnotherDatabase() {
        assertRefused(
                "other-tables",
                "OBX-0215: the DataSource jdbc/small (key outbox.dispatcher.datasource) does not lead to the tables",
                "Give both the same database");
    }

    @Deployment(name = "two-serializers", managed = false, testable = false)
    static WebArchive twoSerializers() {
        return application("two-serializers")
                .addClasses(Mistakes.FirstSerializer.class, Mistakes.SecondSerializer.class);
    }

    @Tag("full")
    @Test
    void moreThanOneSerializer() {
        assertRefused(
                "two-serializers",
                "OBX-0207: several beans have the type dev.cdioutbox.spi.OutboxSerializer: "
                        + Mistakes.FirstSerializer.class.getName() + ", " + Mistakes.SecondSerializer.class.getName(),
                "@Priority");
    }

    @Deployment(name = "two-keys", managed = false, testable = false)
    static WebArchive twoKeys() {
        return application("two-keys").addClass(Mistakes.TwoKeys.class);
    }

    @Tag("full")
    @Test
    void twoKeysOfOneEvent() {
        assertRefused(
                "two-keys",
                "OBX-0111: " + Mistakes.TwoKeys.class.getName() + ": @OutboxKey is on more than one property",
                "Keep one");
    }

    @Deployment(name = "one-name", managed = false, testable = false)
    static WebArchive oneName() {
        return application("one-name").addClasses(Mistakes.OneName.class, Mistakes.SameName.class);
    }

    @Tag("full")
    @Test
    void oneNameForTwoEvents() {
        assertRefused(
                "one-name",
                "OBX-0204: event type 'same' is claimed by ",
                Mistakes.OneName.class.getName(),
                Mistakes.SameName.class.getName(),
                "Give one of them another @OutboxEvent(type)");
    }

    @Deployment(name = "wrong-table-validate", managed = false, testable = false)
    static WebArchive wrongTableToValidate() {
        return application("wrong-table-validate", "outbox.datasource=jdbc/misshapen", "outbox.schema=validate");
    }

    @Tag("full")
    @Test
    void tableOfTheWrongShapeWhereItIsValidated() {
        assertRefused(
                "wrong-table-validate",
                "OBX-0303: the tables of outbox_message do not exist or are incomplete",
                "/h2/1.sql",
                "or set outbox.schema=create");
    }

    @Deployment(name = "wrong-table-create", managed = false, testable = false)
    static WebArchive wrongTableToCreate() {
        return application("wrong-table-create", "outbox.datasource=jdbc/misshapen");
    }

    @Test
    void tableOfTheWrongShapeWhereItIsCreated() {
        assertRefused(
                "wrong-table-create",
                "OBX-0304: the outbox schema could not be created: statement",
                "ON outbox_message (message_id)",
                "Column \"MESSAGE_ID\" not found");
    }

    @Deployment(name = "other-data-source", managed = false, testable = false)
    static WebArchive otherDataSource() {
        return application("other-data-source", "outbox.dispatcher.intervall=PT1S", "outbox.routes.BookngMade=default")
                .addClass(Mistakes.SecondBranch.class)
                .addAsResource(new StringAsset("""
                                <persistence xmlns="https://jakarta.ee/xml/ns/persistence" version="3.0">
                                  <persistence-unit name="elsewhere">
                                    <jta-data-source>jdbc/misshapen</jta-data-source>
                                  </persistence-unit>
                                  <persistence-unit name="unnamed" />
                                  <persistence-unit name="named">
                                    <jta-data-source>java:comp/DefaultDataSource</jta-data-source>
                                  </persistence-unit>
                                </persistence>
                                """), "META-INF/persistence.xml");
    }

    @Test
    void whatTheDeploymentSurvivesIsWarnedOf() {
        int before = ManagedServer.log().length();
        deployer.deploy("other-data-source");
        try {
            assertThat(ManagedServer.log().substring(before))
                    .containsOnlyOnce("OBX-0209")
                    .contains("the persistence unit 'elsewhere' uses the DataSource jdbc/misshapen, and the outbox uses"
                            + " java:comp/DefaultDataSource (key outbox.datasource)")
                    .contains(
                            "OBX-0202: configuration key(s) that have no effect: outbox.dispatcher.intervall (did you mean"
                                    + " 'outbox.dispatcher.interval'?)")
                    .contains("OBX-0233: the reference to a DataSource in " + Mistakes.SecondBranch.class.getName()
                            + " (jdbc/own) is not shareable")
                    .contains("OBX-0217: the key outbox.routes.BookngMade names an event type that no event class")
                    .contains("OBX-0407: dispatcher started: destinations [absent, default], interval PT5S");
            // The name may be bound later. The probe reports it before any message.
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(ManagedServer.log().substring(before))
                            .contains("OBX-0401: destination 'absent': delivery failed; its messages wait:"
                                    + " OBX-0501: destination 'absent' has no JMS destination under the JNDI name jms/absent"
                                    + " (key outbox.destinations.absent.jndi)"));
        } finally {
            deployer.undeploy("other-data-source");
        }
    }

    @Deployment(name = "no-xa", managed = false, testable = false)
    static WebArchive noXa() {
        return application("no-xa", "outbox.datasource=jdbc/pooled");
    }

    /** The deployment succeeds, since at-least-once would be possible. */
    @Test
    void exactlyOnceIsRefusedWithADataSourceWithoutXa() {
        int before = ManagedServer.log().length();
        deployer.deploy("no-xa");
        try {
            await().atMost(SOON)
                    .untilAsserted(
                            () -> assertThat(ManagedServer.log().substring(before))
                                    .contains(
                                            "OBX-0403: destination 'default': exactly-once is not possible here, so its messages wait:"
                                                    + " the DataSource is a javax.sql.ConnectionPoolDataSource, and no javax.sql.XADataSource"));
            assertThat(Http.get(ManagedServer.url("/health/ready")).body())
                    .contains("\"default.proven\":false", "\"default.refusal\":\"OBX-0403: ");
        } finally {
            deployer.undeploy("no-xa");
        }
    }

    @Deployment(name = "no-observers", managed = false, testable = false)
    static WebArchive noObservers() {
        return application("no-observers").addAsServiceProviderAndClasses(Extension.class, ObserversVetoed.class);
    }

    @Tag("full")
    @Test
    void observersThatAnExtensionRemoved() {
        assertRefused(
                "no-observers",
                "OBX-0214: a CDI extension of the application has removed or changed the outbox's observers",
                "Let it leave those of dev.cdioutbox alone");
    }

    @Deployment(name = "two-versions", managed = false, testable = false)
    static WebArchive twoVersions() {
        WebArchive war = application("two-versions");
        ArchivePath old = war.getContent(Filters.include(".*/outbox-jms-[^/]+\\.jar"))
                .keySet()
                .iterator()
                .next();
        JavaArchive other = ShrinkWrap.create(ZipImporter.class, "outbox-jms-0.9.0.jar")
                .importFrom(war.get(old).getAsset().openStream())
                .as(JavaArchive.class)
                .setManifest(new StringAsset("Manifest-Version: 1.0\nImplementation-Version: 0.9.0\n"));
        war.delete(old);
        return war.addAsLibraries(other);
    }

    @Tag("full")
    @Test
    void jarsOfTwoVersions() {
        assertRefused("two-versions", "OBX-0216: outbox-engine has version ", " and outbox-jms version 0.9.0");
    }

    @Deployment(name = "no-dispatcher", managed = false, testable = false)
    static WebArchive noDispatcher() {
        return Deployments.withoutOutboxJms(application("no-dispatcher"));
    }

    @Test
    void capturedEventsThatNothingWouldSend() {
        assertRefused(
                "no-dispatcher",
                "OBX-0219: outbox.dispatcher.enabled is true, but this application has no bean of the type"
                        + " dev.cdioutbox.spi.OutboxPublisher",
                "Put outbox-jms into WEB-INF/lib");
    }

    @Deployment(name = "capture-only", managed = false, testable = false)
    static WebArchive captureOnly() {
        return Deployments.withoutOutboxJms(application("capture-only", "outbox.dispatcher.enabled=false"));
    }

    /** The timer bean is there, and stays idle: the application does not read the table, so each 0 would be a guess. */
    @Test
    void backlogOfAnApplicationThatOnlyCapturesIsUnknown() {
        int before = ManagedServer.log().length();
        deployer.deploy("capture-only");
        try {
            assertThat(ManagedServer.log().substring(before))
                    .containsOnlyOnce("OBX-0226: this application has no bean of the type")
                    .doesNotContain("OBX-0407");
            assertThat(Http.get(ManagedServer.url("/health/live")).body()).contains("\"dispatching\":false");
            assertThat(Http.get(ManagedServer.url("/health/ready")).body())
                    .contains("\"backlog\":\"unknown\"")
                    .doesNotContain("\"pending\"");
            assertThat(Http.get(ManagedServer.url("/metrics?scope=application")).body())
                    .contains("outbox_dispatcher_enabled")
                    .containsPattern("outbox_last_tick_age_seconds\\{.*} NaN")
                    .containsPattern("outbox_store_age_seconds\\{.*} NaN")
                    .doesNotContain("outbox_messages{", "outbox_oldest_pending_age_seconds{");
        } finally {
            deployer.undeploy("capture-only");
        }
    }

    @Deployment(name = "no-console", managed = false, testable = false)
    static WebArchive noConsole() {
        return Deployments.withoutConsole(application("no-console", "outbox.console.enabled=true"));
    }

    @Test
    void consoleWithoutItsJarIsReportedAndServesNothing() {
        int before = ManagedServer.log().length();
        deployer.deploy("no-console");
        try {
            assertThat(ManagedServer.log().substring(before))
                    .contains("OBX-0616: outbox.console.enabled is true, but this application has no console.")
                    .doesNotContain("OBX-0611");
            assertThat(Http.get(ManagedServer.url("/no-console/outbox/")).statusCode())
                    .isEqualTo(404);
        } finally {
            deployer.undeploy("no-console");
        }
    }

    private static WebArchive application(String name, String... configuration) {
        // CDI cannot load a nested class without its outer class, and ignores such a class.
        return Deployments.outbox(name + ".war", configuration)
                .addAsWebInfResource(
                        new ClassAsset(Mistakes.class),
                        "classes/" + Mistakes.class.getName().replace('.', '/') + ".class");
    }

    private void assertRefused(String deployment, String... texts) {
        int before = ManagedServer.log().length();
        try {
            assertThatThrownBy(() -> deployer.deploy(deployment)).isNotNull();
        } finally {
            deployer.undeploy(deployment);
        }
        assertThat(ManagedServer.log().substring(before)).contains(texts);
    }
}
