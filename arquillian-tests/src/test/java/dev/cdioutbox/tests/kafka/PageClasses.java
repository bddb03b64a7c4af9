package dev.cdioutbox.tests.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

import org.jboss.shrinkwrap.api.spec.WebArchive;

/** Compiles classes that pages show, in the package of this class. */
final class PageClasses {
    private final Path folder;

    PageClasses(Path folder) {
        this.folder = folder;
    }

    /**
     * Takes a class from a page.
     *
     * @param replacements what the page has, each followed by what takes its place
     */
    PageClasses add(String page, String name, String... replacements) throws IOException {
        String text = Files.readString(Path.of(System.getProperty("project.root"), "docs", page));
        String source = Pattern.compile("(?ms)^```java\\n(.*?)^```")
                .matcher(text)
                .results()
                .map(block -> block.group(1))
                .filter(block -> block.contains("public class " + name + " {"))
                .findFirst()
                .orElseThrow();
        for (int i = 0; i < replacements.length; i += 2) {
            assertThat(source).contains(replacements[i]);
            source = source.replace(replacements[i], replacements[i + 1]);
        }
        Files.writeString(
                folder.resolve(name + ".java"), "package " + PageClasses.class.getPackageName() + ";\n" + source);
        return this;
    }

    WebArchive addTo(WebArchive war) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d", folder.toString()));
        files(".java").forEach(file -> arguments.add(file.toString()));
        int failed = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(failed).isZero();
        files(".class").forEach(file -> war.addAsWebInfResource(file.toFile(), "classes/" + folder.relativize(file)));
        return war;
    }

    private List<Path> files(String end) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.toString().endsWith(end)).toList();
        }
    }
}
