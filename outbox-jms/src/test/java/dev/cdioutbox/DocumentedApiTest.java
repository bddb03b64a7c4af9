package dev.cdioutbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.cdioutbox.jms.internal.send.MappedProperties;
import dev.cdioutbox.persistence.OutboxEntityListener;
import dev.cdioutbox.testing.TestingExtension;
import org.junit.jupiter.api.Test;

/** The public types are those of the page of public names, and can grow without breaking those who use them. */
class DocumentedApiTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern PACKAGE = Pattern.compile("(?m)^\\| `(dev\\.cdioutbox[.a-z]*)` \\| (`.*`) \\|$");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    /** Others call them: Jakarta Persistence, and CDI. */
    private static final Set<String> CREATED_BY_CONTAINERS =
            Set.of(OutboxEntityListener.class.getName(), TestingExtension.class.getName());

    private static final List<JavaClass> PUBLIC = new ClassFileImporter()
                    // The test kit comes as a jar, or as a folder of test classes, depending on Maven's phase.
                    .withImportOption(location -> !location.contains("Test.class") && !location.contains("Test$"))
                    .withImportOption(location -> location.contains("dev/cdioutbox/testing/")
                            || ImportOption.Predefined.DO_NOT_INCLUDE_TESTS.includes(location))
                    .importPackages("dev.cdioutbox")
                    .stream()
                    .filter(type -> !type.getPackageName().contains(".internal"))
                    .filter(DocumentedApiTest::isPublic)
                    .toList();

    @Test
    void pageListsExactlyThePublicTypes() throws IOException {
        Map<String, Set<String>> documented = new TreeMap<>();
        for (MatchResult row :
                PACKAGE.matcher(page("public-names.md")).results().toList()) {
            Set<String> types = documented.computeIfAbsent(row.group(1), name -> new TreeSet<>());
            NAME.matcher(row.group(2)).results().forEach(type -> types.add(type.group(1)));
        }
        Map<String, Set<String>> types = new TreeMap<>();
        PUBLIC.stream()
                .filter(JavaClass::isTopLevelClass)
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .forEach(type -> types.computeIfAbsent(type.getPackageName(), name -> new TreeSet<>())
                        .add(type.getSimpleName()));

        assertThat(types).isEqualTo(documented);
    }

    /** A further component would break the constructor and the patterns of a record. */
    @Test
    void noPublicTypeIsARecord() {
        assertThat(names(JavaClass::isRecord)).isEmpty();
    }

    /** What only the outbox creates has no constructor that could need a further parameter. */
    @Test
    void applicationsCreateExceptionsOnly() {
        assertThat(names(type -> type.getConstructors().stream()
                                .anyMatch(created -> created.getModifiers().contains(JavaModifier.PUBLIC))
                        && !type.isAssignableTo(Exception.class)
                        && !CREATED_BY_CONTAINERS.contains(type.getName())))
                .isEmpty();
    }

    @Test
    void pageOnReceivingListsThePropertiesOfAMessage() throws IOException {
        String page = page("consume.md");
        String table = page.substring(page.indexOf("## The message"), page.indexOf("## An idempotent consumer"));

        assertThat(MappedProperties.ofAFullMessage()).isNotEmpty().allSatisfy(property -> assertThat(table)
                .contains("`" + property + "`"));
    }

    /** The members of an interface are public, as far as others see the interface. */
    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(DocumentedApiTest::isPublic).orElse(true);
    }

    private static List<String> names(Predicate<JavaClass> kind) {
        return PUBLIC.stream().filter(kind).map(JavaClass::getName).toList();
    }

    private static String page(String name) throws IOException {
        return Files.readString(DOCS.resolve(name));
    }
}
