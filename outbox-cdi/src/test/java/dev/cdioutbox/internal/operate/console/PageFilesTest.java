package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** Guards the console against scripts from other sites and from the texts that it shows. */
class PageFilesTest {
    private static final Path PAGE = Path.of("src/main/resources/dev/cdioutbox/internal/operate/console/page");

    @Test
    void everyFileOfThePageIsServedAndNoOther() throws IOException {
        try (Stream<Path> files = Files.list(PAGE)) {
            assertThat(PageFiles.paths())
                    .isEqualTo(files.map(file -> "/" + file.getFileName())
                            .map(path -> path.equals("/index.html") ? "/" : path)
                            .collect(Collectors.toSet()));
        }
    }

    /** The page shows foreign texts, which must not become markup. */
    @Test
    void noScriptMakesMarkupOfText() throws IOException {
        Pattern markup = Pattern.compile(
                "innerHTML|outerHTML|insertAdjacentHTML|document\\.write|DOMParser|createContextualFragment|eval\\(|new Function|setHTML");
        for (String path : PageFiles.paths()) {
            if (path.endsWith(".js")) {
                assertThat(Files.readString(PAGE.resolve(path.substring(1))))
                        .as(path)
                        .doesNotContainPattern(markup);
            }
        }
    }

    @Test
    void nothingComesFromElsewhereAndNothingIsInline() throws IOException {
        Set<String> allowed = Set.of("http://www.w3.org/2000/svg");
        for (String path : PageFiles.paths()) {
            String text = Files.readString(PAGE.resolve(path.equals("/") ? "index.html" : path.substring(1)));
            assertThat(Pattern.compile("(https?:)?//[a-z][^'\"\\s)]*")
                            .matcher(text)
                            .results()
                            .map(found -> found.group())
                            .filter(found -> !found.startsWith("// ") && !allowed.contains(found)))
                    .as(path)
                    .isEmpty();
        }
        assertThat(Files.readString(PAGE.resolve("index.html")))
                .doesNotContainPattern(" style=| on[a-z]+=|<style|<script(?! type=\"module\" src=)");
    }
}
