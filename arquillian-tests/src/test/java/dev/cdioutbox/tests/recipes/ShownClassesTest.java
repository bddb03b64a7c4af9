package dev.cdioutbox.tests.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** The Java of two pages is that of the classes that the tests run. */
class ShownClassesTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path CLASSES = Path.of("src", "test", "java", "dev", "cdioutbox", "tests");
    private static final Pattern JAVA = Pattern.compile("(?ms)^```java\\n(.*?)^```");

    @Test
    void recipesShowTheirClasses() throws IOException {
        assertShown("recipes.md", "recipes");
    }

    @Test
    void pageOnOtherOutboxesShowsTheClassesOfTheTakeOver() throws IOException {
        assertShown("howto/coming-from.md", "takeover");
    }

    private static void assertShown(String page, String folder) throws IOException {
        List<String> blocks = JAVA.matcher(Files.readString(DOCS.resolve(page)))
                .results()
                .map(block -> comparable(block.group(1)))
                .toList();
        List<String> classes;
        try (Stream<Path> files = Files.list(CLASSES.resolve(folder))) {
            classes = files.map(ShownClassesTest::read)
                    .map(ShownClassesTest::comparable)
                    .toList();
        }

        assertThat(blocks).isNotEmpty().allSatisfy(block -> assertThat(classes)
                .as("%s in a class of %s", block, folder)
                .anyMatch(text -> text.contains(block)));
    }

    /** Without indentation, empty lines, and the imports of the reader's own classes. */
    private static String comparable(String java) {
        return java.lines()
                .map(String::strip)
                .filter(Predicate.not(String::isEmpty))
                .filter(line -> !line.startsWith("import dev.cdioutbox.tests."))
                .collect(Collectors.joining("\n"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
