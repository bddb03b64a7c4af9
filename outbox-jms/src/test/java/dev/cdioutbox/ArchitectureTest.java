package dev.cdioutbox;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.ejb.Timeout;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import dev.cdioutbox.internal.store.cdc.CapturedTopics;
import dev.cdioutbox.internal.store.cdc.CdcState;
import dev.cdioutbox.internal.store.claim.BatchReadException;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.claim.DestinationReservation;
import dev.cdioutbox.internal.store.claim.LockProbe;
import dev.cdioutbox.internal.store.claim.Owner;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.internal.store.claim.UnreadableRow;
import dev.cdioutbox.internal.store.inbox.Position;
import dev.cdioutbox.internal.store.node.PreparedTransactions;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.AuditTable;
import dev.cdioutbox.internal.store.operate.BackfillRow;
import dev.cdioutbox.internal.store.operate.BackfillTable;
import dev.cdioutbox.internal.store.operate.BacklogReader;
import dev.cdioutbox.internal.store.operate.BlockedKeyFinder;
import dev.cdioutbox.internal.store.operate.CrashHistory;
import dev.cdioutbox.internal.store.operate.Erased;
import dev.cdioutbox.internal.store.operate.HeldUpKeyCounter;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.purge.PurgeResult;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.settle.SentSettlement;
import dev.cdioutbox.internal.store.settle.UnsentSettlement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The packages of all modules but outbox-kafka depend on each other only in the documented directions. */
class ArchitectureTest {
    private static final String[] API = {
        "dev.cdioutbox", "dev.cdioutbox.operate", "dev.cdioutbox.spi", "dev.cdioutbox.persistence", "dev.cdioutbox.jms"
    };

    private static final String STORE = "dev.cdioutbox.internal.store";
    private static final String EJB = "dev.cdioutbox.internal.ejb";
    private static final String DISPATCH = "dev.cdioutbox.internal.dispatch";

    /** What dispatch uses of {@code store.operate}. */
    private static final Set<String> USED_BY_DISPATCH_TOO = Set.of(
            BacklogReader.class.getName(),
            HeldUpKeyCounter.class.getName(),
            CrashHistory.class.getName(),
            BackfillTable.class.getName(),
            BackfillRow.class.getName());

    /** Such as %d, %,d, %04x or %1$.2f: {@code formatted} converts numbers by the default locale. */
    private static final String CONVERSION_OF_A_LANGUAGE = "%(\\d+\\$)?[-#+0,(]*\\d*(\\.\\d+)?[dxXoeEfgGaAtT]";

    private static final String INDEPENDENT_FORMAT = "String\\.format\\(\\s*Locale\\.ROOT,\\s*\"[^\"]*\"";

    /** Also of its parts, from its text. */
    private static final String MAKING_OF_AN_ID = "DestinationId\\.of|\\b(indexOf|split)\\(['\"]/";

    private static JavaClasses house;

    @BeforeAll
    static void readTheClasses() {
        house = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                // The test kit comes as a jar, or as a folder of test classes, depending on Maven's phase.
                .withImportOption(location -> !location.contains("dev/cdioutbox/testing/"))
                .importPackages("dev.cdioutbox");
    }

    @Test
    void allModulesAreLookedAt() {
        assertThat(house.contain("dev.cdioutbox.internal.store.claim.Claim")).isTrue();
        assertThat(house.contain("dev.cdioutbox.internal.operate.console.ConsoleApi"))
                .isTrue();
        assertThat(house.contain("dev.cdioutbox.jms.internal.send.JmsPublisher"))
                .isTrue();
        assertThat(house.contain(ArchitectureTest.class)).isFalse();
    }

    @Test
    void apiNamesNoInternalType() {
        noClasses()
                .that()
                .resideInAnyPackage(API)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("..internal..")
                .check(house);
    }

    /** Compilers and IDEs take a package without the annotation for one in which anything may be null. */
    @Test
    void apiSaysWhatMayBeNull() {
        assertThat(API).allMatch(name -> house.getPackage(name).isAnnotatedWith("org.jspecify.annotations.NullMarked"));
    }

    @Test
    void apiDoesNotLog() {
        noClasses()
                .that()
                .resideInAnyPackage(API)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.util.logging..")
                .check(house);
    }

    @Test
    void engineIsPlainJava() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "dev.cdioutbox.internal.dispatch..",
                        "dev.cdioutbox.internal.code..",
                        "dev.cdioutbox.internal.transport..",
                        "dev.cdioutbox.internal.deadletter..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jakarta..", "javax..", "org.eclipse..", "java.sql..")
                .check(house);
    }

    @Test
    void onlyTheStoreKnowsSql() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.cdioutbox.internal.store..")
                .should()
                .dependOnClassesThat(resideInAPackage("java.sql..")
                        .or(resideInAPackage("javax.sql..").and(not(name("javax.sql.DataSource")))))
                .check(house);
        classes()
                .that(resideInAPackage("dev.cdioutbox..")
                        .and(not(resideInAPackage("dev.cdioutbox.internal.store.."))
                                .and(not(nameMatching("dev\\.cdioutbox\\.internal\\.deployment\\.StoreOpening.*")))))
                .should()
                .onlyDependOnClassesThat(not(name("javax.sql.DataSource")))
                .check(house);
    }

    @Test
    void onlyTheJmsModuleKnowsMessaging() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.cdioutbox.jms..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("jakarta.jms..")
                .check(house);
    }

    /** What crosses the jar is made for it. KafkaArchitectureTest has the list of the other transport. */
    @Test
    void transportUsesTheApiTheEdgeAndTheCodesOnly() {
        classes()
                .that()
                .resideInAPackage("dev.cdioutbox.jms..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "javax.naming..",
                        "jakarta..",
                        "org.jspecify..",
                        "dev.cdioutbox",
                        "dev.cdioutbox.spi",
                        "dev.cdioutbox.jms..",
                        "dev.cdioutbox.internal.code",
                        "dev.cdioutbox.internal.consume",
                        "dev.cdioutbox.internal.deadletter",
                        "dev.cdioutbox.internal.transport")
                .check(house);
    }

    /** Otherwise a transport that uses it would use what is behind it, too. */
    @Test
    void edgeOfTheEngineDependsOnTheApiAndTheCodesOnly() {
        classes()
                .that()
                .resideInAnyPackage("dev.cdioutbox.internal.deadletter", "dev.cdioutbox.internal.transport")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "org.jspecify..",
                        "dev.cdioutbox",
                        "dev.cdioutbox.spi",
                        "dev.cdioutbox.internal.code",
                        "dev.cdioutbox.internal.deadletter",
                        "dev.cdioutbox.internal.transport")
                .check(house);
    }

    /** An application that only captures runs without the feature. Message-driven beans are the JMS module's. */
    @Test
    void onlyOnePackageNeedsTheEjbFeature() {
        noClasses()
                .that()
                .resideOutsideOfPackages(EJB, "dev.cdioutbox.jms..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jakarta.ejb..", EJB)
                .check(house);
    }

    @Test
    void dataFlowsOneWay() {
        noClasses()
                .that()
                .resideInAPackage("dev.cdioutbox.internal.store..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.cdioutbox.internal.capture..",
                        "dev.cdioutbox.internal.outbox..",
                        "dev.cdioutbox.internal.dispatch..",
                        "dev.cdioutbox.internal.observe..",
                        "dev.cdioutbox.internal.operate..")
                .check(house);
        noClasses()
                .that()
                .resideInAnyPackage("dev.cdioutbox.internal.capture..", "dev.cdioutbox.internal.dispatch..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.cdioutbox.internal.observe..", "dev.cdioutbox.internal.operate..")
                .check(house);
    }

    /** Others find the outboxes in package outbox. */
    @Test
    void onlyTheContainerCallsCapture() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.cdioutbox.internal.capture..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.cdioutbox.internal.capture")
                .check(house);
    }

    /** Below the values, other packages see JdbcOutboxStore, the classes that it names, and what these take and give. */
    @Test
    void storeIsUsedThroughItsParts() {
        noClasses()
                .that()
                .resideInAPackage(STORE)
                .should()
                .dependOnClassesThat(resideInAPackage(STORE + ".*"))
                .check(house);
        Set<String> parts = Stream.concat(
                        Stream.of(
                                JdbcOutboxStore.class,
                                CapturedTopics.class,
                                CdcState.class,
                                BatchReadException.class,
                                Claim.class,
                                ClaimLimits.class,
                                DestinationReservation.class,
                                LockProbe.class,
                                Owner.class,
                                PartitionRange.class,
                                Reservation.class,
                                UnreadableRow.class,
                                Position.class,
                                PreparedTransactions.class,
                                ThisNode.class,
                                AuditTable.class,
                                BackfillRow.class,
                                BlockedKeyFinder.class,
                                Erased.class,
                                MessageOperation.class,
                                PurgeResult.class,
                                Retry.class,
                                SentSettlement.class,
                                UnsentSettlement.class),
                        Arrays.stream(JdbcOutboxStore.class.getRecordComponents())
                                .map(RecordComponent::getType))
                .map(Class::getName)
                .collect(Collectors.toSet());
        noClasses()
                .that()
                .resideOutsideOfPackage(STORE + "..")
                .should()
                .dependOnClassesThat(resideInAPackage(STORE + ".*")
                        .and(describe(
                                "are no parts of JdbcOutboxStore",
                                used -> !parts.contains(used.getName().replaceAll("\\$.*", "")))))
                .check(house);
        noClasses()
                .that()
                .resideOutsideOfPackages(STORE + "..", "dev.cdioutbox.internal.operate..")
                .should()
                .dependOnClassesThat(resideInAPackage(STORE + ".operate")
                        .and(describe(
                                "are for operators only",
                                used -> !USED_BY_DISPATCH_TOO.contains(
                                        used.getName().replaceAll("\\$.*", "")))))
                .check(house);
    }

    /**
     * Whoever has the whole store can reach everything in it. So only those have it that open it, hand it on, or give its parts to
     * others, and those that the container creates for one request. All other classes get the parts that they use.
     */
    @Test
    void onlyCompositionRootsHaveTheWholeStore() {
        Set<String> roots = Set.of(
                "capture.Capture",
                "deployment.DistinctTables",
                "deployment.StoreOpening",
                "outbox.LazyStore",
                "outbox.OutboxInstance",
                "ejb.Dispatchers",
                "dispatch.Dispatcher",
                "dispatch.crash.CrashRecovery",
                "dispatch.WorkerAssembly",
                "dispatch.opening.DestinationOpening",
                "operate.DeadLetterOperations",
                "operate.Doctor",
                "operate.TransactionalOperations",
                "operate.console.ConsoleApi",
                "operate.console.SelectedOutbox",
                "operate.console.StateView",
                "operate.console.WaitReason",
                "consume.IdempotentReceiver",
                "consume.MessageInbox");
        noClasses()
                .that()
                .resideOutsideOfPackage(STORE + "..")
                .and(describe(
                        "are no composition roots",
                        user -> !roots.contains(user.getName()
                                .replaceAll("\\$.*", "")
                                .replaceAll("^dev\\.cdioutbox\\.(jms\\.)?internal\\.", ""))))
                .should()
                .dependOnClassesThat(name(JdbcOutboxStore.class.getName()))
                .check(house);
    }

    @Test
    void dispatchIsUsedThroughItsWorkersAndItsEdges() {
        noClasses()
                .that()
                .resideOutsideOfPackage(DISPATCH + "..")
                .should()
                .dependOnClassesThat(resideInAPackage(DISPATCH + ".*")
                        .and(not(resideInAnyPackage(DISPATCH + ".container", DISPATCH + ".listener"))))
                .check(house);
    }

    /**
     * A failed or crashed delivery is a step beside the ordinary way, so sending must not depend on recovery or upkeep.
     */
    @Test
    void deliveryKnowsNeitherRecoveryNorUpkeep() {
        noClasses()
                .that()
                .resideInAnyPackage(DISPATCH + ".delivery", DISPATCH + ".hold", DISPATCH + ".container")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(DISPATCH, DISPATCH + ".crash")
                .check(house);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.(**)").should().beFreeOfCycles().check(house);
    }

    /** It needs MD5, which a JVM in FIPS mode does not have. */
    /**
     * A class loader takes either of two files with one path, so the console would show its page as it was. A build folder keeps
     * a resource that has moved to another module.
     */
    @Test
    void noModuleHasAFileOfAnotherOne() throws IOException {
        List<String> files = new ArrayList<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(Path.of(".."), "outbox-*")) {
            for (Path module : modules) {
                Path built = module.resolve("target/classes");
                if (Files.isDirectory(built.resolve("dev"))) {
                    try (Stream<Path> all = Files.walk(built.resolve("dev"))) {
                        all.filter(Files::isRegularFile)
                                .forEach(
                                        file -> files.add(built.relativize(file).toString()));
                    }
                }
            }
        }

        assertThat(files)
                .as("\"mvn clean\" deletes what a module no longer has")
                .isNotEmpty()
                .doesNotHaveDuplicates();
    }

    @Test
    void noClassHashesWithMd5() {
        noClasses()
                .should()
                .callMethod(UUID.class, "nameUUIDFromBytes", byte[].class)
                .check(house);
    }

    /** GlassFish fails the deployment of an EJB whose callback has an overload with parameters. */
    @Test
    void callbacksOfTheContainerAreNotOverloaded() {
        methods()
                .that()
                .areAnnotatedWith(PostConstruct.class)
                .or()
                .areAnnotatedWith(PreDestroy.class)
                .or()
                .areAnnotatedWith(Timeout.class)
                .should(ArchCondition.from(describe(
                        "have a name of their own",
                        (JavaMethod callback) -> callback.getOwner().getMethods().stream()
                                        .filter(method -> method.getName().equals(callback.getName()))
                                        .count()
                                == 1)))
                .check(house);
    }

    /** With Arabic as the JVM's language, {@code %d} writes Arabic digits, which a database does not understand. */
    @Test
    void noTextDependsOnTheLanguageOfTheJvm() throws IOException {
        noClasses()
                .should()
                .callMethod(String.class, "toLowerCase")
                .orShould()
                .callMethod(String.class, "toUpperCase")
                .orShould()
                .callMethod(String.class, "format", String.class, Object[].class)
                .orShould()
                .callMethod(DateTimeFormatter.class, "ofPattern", String.class)
                .check(house);
        for (Path file : sources(
                "outbox-api/src/main",
                "outbox-engine/src/main",
                "outbox-cdi/src/main",
                "outbox-cdi/src/testkit",
                "outbox-console/src/main",
                "outbox-jms/src/main")) {
            // OutboxCode formats its texts with Locale.ROOT.
            if (!file.endsWith("OutboxCode.java")) {
                assertThat(Files.readString(file).replaceAll(INDEPENDENT_FORMAT, ""))
                        .as("%s", file)
                        .doesNotContainPattern(CONVERSION_OF_A_LANGUAGE);
            }
        }
    }

    /** Its text is for people. What needs its outbox or its name gets the id. */
    @Test
    void onlyTheConfigurationMakesTheIdOfADestinationAndNobodyTakesItsTextApart() throws IOException {
        for (Path file : sources(
                "outbox-api/src/main",
                "outbox-engine/src/main",
                "outbox-cdi/src/main",
                "outbox-console/src/main",
                "outbox-jms/src/main",
                "outbox-kafka/src/main")) {
            // A JSON pointer has slashes, too.
            if (!Set.of("DestinationId.java", "OutboxConfig.java", "JsonMask.java")
                    .contains(file.getFileName().toString())) {
                assertThat(Files.readString(file)).as("%s", file).doesNotContainPattern(MAKING_OF_AN_ID);
            }
        }
    }

    private static List<Path> sources(String... folders) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String folder : folders) {
            try (Stream<Path> files = Files.walk(Path.of("..", folder, "java"))) {
                files.filter(Files::isRegularFile).forEach(sources::add);
            }
        }
        return sources;
    }

    @Test
    void noClassWritesToTheStandardStreams() {
        NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(house);
    }
}
