package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletResponse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards the console against scripts from other sites and from the texts that it shows. */
class PageFilesTest {
    private static final Path PAGE = Path.of("src/main/resources/dev/cdioutbox/internal/operate/console/page");

    @Test
    void everyFileOfThePageIsServedWithItsType() throws IOException {
        for (String file : files()) {
            Served served = new Served();
            ConsoleServlet.sendFile("/" + file, served.response());
            assertThat(served.content.toByteArray()).as(file).isEqualTo(Files.readAllBytes(PAGE.resolve(file)));
            assertThat(served.type).as(file).contains(file.endsWith(".js") ? "javascript" : ending(file));
        }
        Served root = new Served();
        ConsoleServlet.sendFile("/", root.response());
        assertThat(root.content.toByteArray()).isEqualTo(Files.readAllBytes(PAGE.resolve("index.html")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/", "/api/v1/openapi.yaml"})
    void apiBeginsWithItsDescription(String path) throws IOException {
        Served served = new Served();
        ConsoleServlet.sendFile(path, served.response());
        assertThat(served.content.toByteArray()).isEqualTo(Files.readAllBytes(PAGE.resolve("openapi.yaml")));
        assertThat(served.type).isEqualTo("application/yaml");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/nothing.js",
                "/../ConsoleServlet.class",
                "/../page/console.js",
                "//console.js",
                "/./console.js",
                "/console.js/",
                "/ConsoleServlet.class"
            })
    void nothingElseIsServed(String path) {
        Served served = new Served();
        assertThatThrownBy(() -> ConsoleServlet.sendFile(path, served.response()))
                .isInstanceOf(RequestRefusedException.class);
        assertThat(served.content.size()).isZero();
    }

    /** The page shows foreign texts, which must not become markup. */
    @Test
    void noScriptMakesMarkupOfText() throws IOException {
        Pattern markup = Pattern.compile(
                "innerHTML|outerHTML|insertAdjacentHTML|document\\.write|DOMParser|createContextualFragment|eval\\(|new Function|setHTML");
        for (String file : files()) {
            if (file.endsWith(".js")) {
                assertThat(Files.readString(PAGE.resolve(file))).as(file).doesNotContainPattern(markup);
            }
        }
    }

    @Test
    void nothingComesFromElsewhereAndNothingIsInline() throws IOException {
        Set<String> allowed = Set.of("http://www.w3.org/2000/svg");
        for (String file : files()) {
            String text = Files.readString(PAGE.resolve(file));
            assertThat(Pattern.compile("(https?:)?//[a-z][^'\"\\s)]*")
                            .matcher(text)
                            .results()
                            .map(found -> found.group())
                            .filter(found -> !found.startsWith("// ") && !allowed.contains(found)))
                    .as(file)
                    .isEmpty();
        }
        assertThat(Files.readString(PAGE.resolve("index.html")))
                .doesNotContainPattern(" style=| on[a-z]+=|<style|<script(?! type=\"module\" src=)");
    }

    private static List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(PAGE)) {
            List<String> names =
                    files.map(file -> file.getFileName().toString()).sorted().toList();
            assertThat(names).contains("index.html", "console.js");
            return names;
        }
    }

    private static String ending(String file) {
        return file.substring(file.lastIndexOf('.') + 1);
    }

    /** What a response got. */
    private static final class Served {
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private String type;

        HttpServletResponse response() {
            return (HttpServletResponse) Proxy.newProxyInstance(
                    PageFilesTest.class.getClassLoader(),
                    new Class<?>[] {HttpServletResponse.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("setContentType")) {
                            type = (String) arguments[0];
                            return null;
                        }
                        return new MemoryOutput(content);
                    });
        }
    }
}
