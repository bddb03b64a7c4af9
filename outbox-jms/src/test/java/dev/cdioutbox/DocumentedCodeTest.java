package dev.cdioutbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The consumer code in the documents compiles, with imports and the reader's own classes added. */
class DocumentedCodeTest {
    private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final String IMPORTS = """
            import dev.cdioutbox.*;
            import dev.cdioutbox.jms.*;
            import jakarta.ejb.*;
            import jakarta.inject.Inject;
            import jakarta.jms.*;
            import jakarta.persistence.*;
            import jakarta.transaction.Transactional;
            """;
    private static final String OWN_CLASSES = """
            record OrderPlaced(String orderId) {}
            record Stop(String orderId) {}
            record Payment(String orderId) {}
            class Shipment {
                Shipment(String orderId) {}
                Shipment(OrderPlaced order) {}
            }
            """;

    @TempDir
    Path classes;

    @Test
    void readmeShowsAConsumerInTenLines() throws IOException {
        String consumer = code("README.md", "### Receive each message once").get(0);

        assertThat(consumer.lines().filter(line -> !line.isBlank())).hasSizeLessThanOrEqualTo(10);
        assertCompiles(consumer);
    }

    @Test
    void pageOfConsumersShowsWhatCompiles() throws IOException {
        List<String> shown = code("docs/consume.md", "# Receiving messages");

        assertThat(shown).hasSize(3);
        assertCompiles(shown.get(0));
        assertCompiles("class Payments { " + shown.get(1).replace("{ … }", "{}") + " }");
        assertCompiles("""
                class Chooser {
                    @Inject ReceivedEvents events;
                    void onMessage(Message message) { %s }
                    void ship(OrderPlaced order) {}
                    void stop(Stop stop) {}
                }""".formatted(shown.get(2)));
    }

    private static List<String> code(String document, String heading) throws IOException {
        String text = Files.readString(Path.of("..", document));
        Matcher blocks = JAVA.matcher(text.substring(text.indexOf(heading)));
        return blocks.results().map(block -> block.group(1)).toList();
    }

    private void assertCompiles(String shown) {
        // A public class would need a file of its own name.
        String source = IMPORTS + shown.replace("public class", "class") + OWN_CLASSES;
        StringWriter complaints = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        boolean compiles = compiler.getTask(
                        complaints,
                        null,
                        null,
                        List.of("-proc:none", "-d", classes.toString()),
                        null,
                        List.of(new Source(source)))
                .call();
        assertThat(compiles).as("%s%n%s", complaints, source).isTrue();
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///Shown.java"), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
