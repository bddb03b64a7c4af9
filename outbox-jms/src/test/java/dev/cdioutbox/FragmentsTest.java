package dev.cdioutbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** Each fragment for server.xml is well-formed, and has documented variables with defaults, even if no test runs it. */
class FragmentsTest {
    private static final Path FOLDER = Path.of("..", "liberty-config", "src", "main", "cdi-outbox");
    private static final Pattern USED = Pattern.compile("\\$\\{(cdioutbox\\.[^}]+)}");

    @Test
    void eachIsAServerThatCanBeParsed() throws IOException {
        assertThat(fragments()).hasSizeGreaterThan(9).allSatisfy(fragment -> assertThat(
                        parsed(fragment).getTagName())
                .isEqualTo("server"));
    }

    @Test
    void everyVariableHasADefaultThatServerXmlGoesBefore() throws IOException {
        for (Path fragment : fragments()) {
            NodeList variables = parsed(fragment).getElementsByTagName("variable");
            for (int i = 0; i < variables.getLength(); i++) {
                Element variable = (Element) variables.item(i);
                assertThat(variable.hasAttribute("defaultValue") && !variable.hasAttribute("value"))
                        .as("%s of %s", variable.getAttribute("name"), fragment)
                        .isTrue();
            }
        }
    }

    @Test
    void everyVariableThatIsUsedIsDeclaredAndDocumented() throws IOException {
        String documented = Files.readString(Path.of("..", "docs", "configuration.md"));
        for (Path fragment : fragments()) {
            assertThat(documented).contains("`" + fragment.getFileName() + "`");
            Set<String> declared = declared(fragment);
            assertThat(USED.matcher(Files.readString(fragment)).results().map(found -> found.group(1)))
                    .as("%s", fragment)
                    .allSatisfy(name -> assertThat(declared).contains(name));
            assertThat(declared).as("%s", fragment).allSatisfy(name -> assertThat(documented)
                    .contains("`" + name + "`"));
        }
    }

    @Test
    void whatNoTestRunsSaysSo() throws IOException {
        String documented = Files.readString(Path.of("..", "docs", "configuration.md"));
        String untested = "messaging-ibm-mq.xml";
        assertThat(parsed(FOLDER.resolve(untested)).getAttribute("description")).endsWith("UNTESTED");
        assertThat(documented).contains("`" + untested + "` (untested)");
    }

    private static List<Path> fragments() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".xml"))
                    .sorted()
                    .toList();
        }
    }

    private static Set<String> declared(Path fragment) {
        Set<String> names = new TreeSet<>();
        NodeList variables = parsed(fragment).getElementsByTagName("variable");
        for (int i = 0; i < variables.getLength(); i++) {
            String name = ((Element) variables.item(i)).getAttribute("name");
            if (name.startsWith("cdioutbox.")) {
                names.add(name);
            }
        }
        return names;
    }

    private static Element parsed(Path fragment) {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(fragment.toFile())
                    .getDocumentElement();
        } catch (SAXException | ParserConfigurationException | IOException e) {
            throw new AssertionError(fragment.toString(), e);
        }
    }
}
