package dev.cdioutbox.kafka;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** An application that sends to Kafka only runs without the features of EJBs' neighbours, JMS and the web. */
class KafkaArchitectureTest {
    @Test
    void publisherNeedsKafkaAndCdiOnly() {
        classes()
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
                        "dev.cdioutbox.kafka..",
                        "dev.cdioutbox.spi",
                        "dev.cdioutbox.internal.deployment",
                        "dev.cdioutbox.internal.code",
                        "dev.cdioutbox.internal.config",
                        "dev.cdioutbox.internal.dispatch",
                        "dev.cdioutbox.internal.observe.trace",
                        "dev.cdioutbox.internal.outbox",
                        "dev.cdioutbox.internal.store..")
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("dev.cdioutbox.kafka"));
    }
}
