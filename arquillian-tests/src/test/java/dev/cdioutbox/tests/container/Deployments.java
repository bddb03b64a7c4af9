package dev.cdioutbox.tests.container;

import java.io.File;
import java.net.URISyntaxException;
import java.util.List;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.capture.OutboxExtension;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.operate.console.ConsoleInitializer;
import dev.cdioutbox.jms.IdempotentConsumer;
import dev.cdioutbox.kafka.KafkaPublisher;
import dev.cdioutbox.testing.OutboxWait;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.jboss.shrinkwrap.api.Filters;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** Builds the archive of a test in the container: the jars of the outbox and the beans of the tests. */
public final class Deployments {
    /** A class of each library. */
    private static final List<String> GRUELBOX = List.of(
            "com.gruelbox.transactionoutbox.TransactionOutbox",
            "com.fasterxml.classmate.TypeResolver",
            "com.google.gson.Gson",
            "com.sun.el.ExpressionFactoryImpl",
            "javax.el.ExpressionFactory",
            "javax.validation.Validation",
            "net.bytebuddy.ByteBuddy",
            "org.hibernate.validator.HibernateValidator",
            "org.jboss.logging.Logger",
            "org.objenesis.Objenesis",
            "org.slf4j.Logger");

    private Deployments() {}

    /**
     * @param configuration lines of microprofile-config.properties
     */
    static WebArchive tests(String... configuration) {
        return empty(configuration).addPackage(Deployments.class.getPackage());
    }

    /** An application with the outbox and assertions, and without beans of the tests. */
    public static WebArchive empty(String... configuration) {
        return named("container-tests.war", configuration);
    }

    public static WebArchive named(String name, String... configuration) {
        return assertions(outbox(name, configuration));
    }

    /** An application as a user builds it: the jars, and a destination whose JNDI name is unbound. */
    public static WebArchive outbox(String name, String... configuration) {
        return bare(name)
                .addAsResource(
                        new StringAsset(
                                "outbox.destinations.absent.jndi=jms/absent\n" + String.join("\n", configuration)),
                        "META-INF/microprofile-config.properties");
    }

    /** outbox-jms and outbox-console with what they bring, without a configuration. */
    public static WebArchive bare(String name) {
        return ShrinkWrap.create(WebArchive.class, name)
                .addAsLibraries(outbox())
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml");
    }

    /** The jars that Maven packs for a dependency on outbox-jms, and outbox-console. */
    public static File[] outbox() {
        return new File[] {
            jar(OutboxEvent.class),
            jar(OutboxCode.class),
            jar(OutboxExtension.class),
            jar(ConsoleInitializer.class),
            jar(IdempotentConsumer.class)
        };
    }

    /** An application that captures only, or has another transport. */
    public static WebArchive withoutOutboxJms(WebArchive war) {
        return without("outbox-jms", war);
    }

    /** As an application is that has no dependency on outbox-console. */
    public static WebArchive withoutConsole(WebArchive war) {
        return without("outbox-console", war);
    }

    private static WebArchive without(String jar, WebArchive war) {
        war.getContent(Filters.include(".*/" + jar + "-[^/]+\\.jar")).keySet().forEach(war::delete);
        return war;
    }

    /** Adds outbox-kafka, and Kafka's client as a user does. */
    public static WebArchive withKafka(WebArchive war) {
        return war.addAsLibraries(jar(KafkaPublisher.class), jar(KafkaProducer.class), jar("org.slf4j.Logger"));
    }

    /** Adds the library transaction-outbox, with what it needs. */
    public static WebArchive withGruelbox(WebArchive war) {
        GRUELBOX.forEach(type -> war.addAsLibraries(jar(type)));
        return war;
    }

    /** Adds the libraries that a test inside the container needs. */
    public static WebArchive assertions(WebArchive war) {
        return war.addAsLibraries(jar(Assertions.class), jar(Awaitility.class), jar("org.hamcrest.Matcher"))
                .addAsLibraries(jar("net.bytebuddy.ByteBuddy"));
    }

    /** Adds the test kit, as a user does. */
    public static WebArchive withTestKit(WebArchive war) {
        return war.addAsLibraries(jar(OutboxWait.class));
    }

    /** Returns the jar, or the folder, that a class is in. */
    public static File jar(String className) {
        try {
            return jar(Class.forName(className, false, Deployments.class.getClassLoader()));
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the jar, or the folder, that a class is in. */
    public static File jar(Class<?> type) {
        try {
            return new File(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
