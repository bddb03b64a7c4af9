package dev.cdioutbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/**
 * docs/classes.md has each class of the two jars, with its Javadoc. If the page is old, the test writes the new one to {@code
 * outbox-jms/target/classes.md}: copy it to {@code docs}.
 */
class DocumentedClassesTest {
    private static final Path PAGE = Path.of("../docs/classes.md");
    private static final Path GENERATED = Path.of("target/classes.md");
    private static final List<Path> SOURCES =
            List.of(Path.of("../outbox-cdi/src/main/java"), Path.of("../outbox-jms/src/main/java"));

    private static final Pattern DECLARATION = Pattern.compile(
            "(?m)^(?:package|(?:(?:public|final|abstract|sealed) )*(?:class|record|interface|enum|@interface)) ");

    private static final Pattern TAG = Pattern.compile("\\{@(?:code|link|linkplain|value)\\s+([^}]*)}");
    private static final String BEGIN = "<!-- The build compares from here (DocumentedClassesTest) -->";

    @Test
    void pageHasTheJavadocOfEachClass() throws IOException {
        String page = Files.readString(PAGE);
        String expected = page.substring(0, page.indexOf(BEGIN)) + BEGIN + "\n" + sections();
        Files.createDirectories(GENERATED.getParent());
        Files.writeString(GENERATED, expected);

        assertThat(page)
                .as("docs/classes.md is not the Javadoc of the classes: copy outbox-jms/target/classes.md")
                .isEqualTo(expected);
    }

    private static String sections() throws IOException {
        StringBuilder sections = new StringBuilder();
        for (Path source : SOURCES) {
            try (Stream<Path> folders = Files.walk(source)) {
                for (Path folder : folders.filter(Files::isDirectory).sorted().toList()) {
                    sections.append(section(source, folder));
                }
            }
        }
        return sections.toString();
    }

    private static String section(Path source, Path folder) throws IOException {
        List<Path> classes;
        try (Stream<Path> files = Files.list(folder)) {
            classes = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("package-info.java"))
                    .sorted()
                    .toList();
        }
        if (classes.isEmpty()) {
            return "";
        }
        List<String> lines = new ArrayList<>();
        lines.add("\n## " + source.relativize(folder) + "\n");
        lines.add(javadoc(folder.resolve("package-info.java")) + "\n");
        lines.add("| class | |\n|---|---|");
        for (Path type : classes) {
            lines.add("| `%s` | %s |".formatted(type.getFileName().toString().replace(".java", ""), javadoc(type)));
        }
        return lines.stream().collect(Collectors.joining("\n", "", "\n"));
    }

    /** The description of a type or a package, without the block tags, on one line. */
    private static String javadoc(Path file) throws IOException {
        String source = Files.readString(file);
        Matcher declaration = DECLARATION.matcher(source);
        boolean found = declaration.find();
        // The package statement of a class comes before its Javadoc.
        found = file.endsWith("package-info.java") ? found : declaration.find();
        assertThat(found).as("declaration in " + file).isTrue();
        String before = source.substring(0, declaration.start());
        int begin = before.lastIndexOf("/**");
        assertThat(begin).as("Javadoc of " + file).isNotNegative();
        String text = before.substring(begin + 3, before.indexOf("*/", begin)).replaceAll("(?m)^\\s*\\*", "");
        text = text.split("(?m)^\\s*@")[0].split("<(?:p|ul|pre|table)>")[0];
        return TAG.matcher(text)
                .replaceAll(tag -> Matcher.quoteReplacement(code(tag.group(1))))
                .replaceAll("\\s+", " ")
                .replace("|", "\\|")
                .strip();
    }

    /** A link's label, or else its target without the package and the {@code #} of a member. */
    private static String code(String tag) {
        String[] words = tag.strip().split("\\s+", 2);
        return words.length == 2 && tag.contains("#")
                ? words[1]
                : "`"
                        + tag.strip()
                                .replaceFirst("^#", "")
                                .replaceFirst("^([a-z]+\\.)+(?=[A-Z])", "")
                                .replace('#', '.')
                        + "`";
    }
}
