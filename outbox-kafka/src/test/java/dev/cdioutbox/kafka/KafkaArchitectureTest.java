package dev.cdioutbox.kafka;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Of the outbox, this jar uses the API, the codes and the edge that is made for transports. */
class KafkaArchitectureTest {
    private static final JavaClasses JAR = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.cdioutbox.kafka");

    /** An application that sends to Kafka only runs without the features of EJBs' neighbours, JMS and the web. */
    @Test
    void publisherNeedsKafkaAndCdiOnly() {
        classes()
                .that()
                .resideInAPackage("dev.cdioutbox.kafka")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java.lang..",
                        "java.nio.charset",
                        "java.time",
                        "java.util..",
                        "jakarta.annotation..",
                        "jakarta.enterprise..",
                        "jakarta.inject..",
                        "org.apache.kafka..",
                        "dev.cdioutbox",
                        "dev.cdioutbox.kafka",
                        "dev.cdioutbox.spi",
                        "dev.cdioutbox.internal.code",
                        "dev.cdioutbox.internal.transport")
                .check(JAR);
    }

    /** The transformation reads rows, so it also makes the value of a row. Kafka Connect has no Jakarta EE. */
    @Test
    void transformationNeedsKafkaAndTheValueOfARowOnly() {
        classes()
                .that()
                .resideInAPackage("dev.cdioutbox.kafka.connect")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java.lang..",
                        "java.nio.charset",
                        "java.time",
                        "java.util..",
                        "org.apache.kafka..",
                        "dev.cdioutbox",
                        "dev.cdioutbox.kafka..",
                        "dev.cdioutbox.internal.code",
                        "dev.cdioutbox.internal.store",
                        "dev.cdioutbox.internal.transport")
                .check(JAR);
    }
}
