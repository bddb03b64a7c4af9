package dev.cdioutbox.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;

/**
 * Guards that the documents name each fragment of liberty-config, each of its variables with its default, and no other
 * file; and that a reader can copy their XML.
 */
class DocumentedFragmentsTest {
    private static final Path ROOT = Path.of("..");
    private static final Path FRAGMENTS = ROOT.resolve("liberty-config/src/main/cdi-outbox");
    private static final Pattern INCLUDED = Pattern.compile("cdi-outbox/([\\w-]+\\.xml)");
    private static final Pattern NAMED = Pattern.compile("(?m)^\\| `([\\w-]+\\.xml)`");
    private static final Pattern ROW = Pattern.compile(
            "(?m)^\\|(?: `([\\w-]+\\.xml)`[^|]*| )\\| (`(?:cdioutbox|http|https)\\.[^|]*) \\| ([^|]*) \\|");
    private static final Pattern VARIABLE =
            Pattern.compile("<variable name=\"((?:cdioutbox|http|https)\\.[^\"]+)\" defaultValue=\"([^\"]*)\"");

    private static final Pattern XML_BLOCK = Pattern.compile("(?ms)^ *```xml\\n(.*?)^ *```");
    private static final Pattern FEATURE = Pattern.compile("<feature>([^<]+)</feature>");
    private static final Pattern WITHOUT = Pattern.compile("(?m)^\\| (`[\\w.-]+`(?:, `[\\w.-]+`)*)");

    @Test
    void configurationPageNamesEachFragment() throws IOException {
        Set<String> named =
                NAMED.matcher(page()).results().map(row -> row.group(1)).collect(Collectors.toCollection(TreeSet::new));

        assertThat(named).isEqualTo(fragments());
    }

    @Test
    void configurationPageHasTheVariablesOfEachFragmentWithTheirDefaults() throws IOException {
        Map<String, Map<String, String>> documented = new TreeMap<>();
        String fragment = null;
        for (MatchResult row : ROW.matcher(page()).results().toList()) {
            fragment = row.group(1) == null ? fragment : row.group(1);
            documented.computeIfAbsent(fragment, first -> new TreeMap<>()).put(text(row.group(2)), text(row.group(3)));
        }

        assertThat(documented).isEqualTo(variables());
    }

    @Test
    void eachIncludeOfADocumentOrServerIsThere() throws IOException {
        Set<String> fragments = fragments();
        for (Path file : filesWithIncludes()) {
            assertThat(INCLUDED.matcher(Files.readString(file)).results().map(match -> match.group(1)))
                    .as(file.toString())
                    .isSubsetOf(fragments);
        }
    }

    /** The reader copies it into server.xml or another file. */
    @Test
    void eachXmlBlockIsWellFormed() throws Exception {
        int blocks = 0;
        for (Path page : Documents.current()) {
            for (MatchResult block :
                    XML_BLOCK.matcher(Files.readString(page)).results().toList()) {
                blocks++;
                String elements = block.group(1).strip().replaceFirst("<\\?xml.*?\\?>", "");
                byte[] xml = ("<page>" + elements + "</page>").getBytes(StandardCharsets.UTF_8);
                assertThatCode(() -> DocumentBuilderFactory.newInstance()
                                .newDocumentBuilder()
                                .parse(new ByteArrayInputStream(xml)))
                        .as("%s%n%s", page, elements)
                        .doesNotThrowAnyException();
            }
        }
        assertThat(blocks).isGreaterThan(40);
    }

    @Test
    void troubleshootingSaysForEachFeatureWhatItsAbsenceLooksLike() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/troubleshooting.md"));
        String table = page.substring(page.indexOf("| without |"), page.indexOf("## My consumer gets nothing"));
        Set<String> explained = WITHOUT.matcher(table)
                .results()
                .flatMap(row -> Stream.of(text(row.group(1)).split(", ")))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(explained).isEqualTo(enabled());
    }

    /** The reader may enable them without the fragments. */
    @Test
    void configurationPageListsEachFeature() throws IOException {
        String section =
                page().substring(page().indexOf("### Your own list of features"), page().indexOf("### Variables"));

        assertThat(features(section)).isEqualTo(enabled());
    }

    /** The features that the fragments enable with Liberty's own messaging. */
    private static Set<String> enabled() throws IOException {
        Set<String> enabled = features(Files.readString(FRAGMENTS.resolve("features.xml")));
        enabled.addAll(features(Files.readString(FRAGMENTS.resolve("messaging-embedded.xml"))));
        return enabled;
    }

    private static Set<String> features(String xml) {
        return FEATURE.matcher(xml)
                .results()
                .map(feature -> feature.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The text of a cell, without its backquotes; "empty" means an empty text. */
    private static String text(String cell) {
        return cell.equals("empty") ? "" : cell.replace("`", "");
    }

    private static Map<String, Map<String, String>> variables() throws IOException {
        Map<String, Map<String, String>> variables = new TreeMap<>();
        for (String fragment : fragments()) {
            Map<String, String> own = VARIABLE.matcher(Files.readString(FRAGMENTS.resolve(fragment)))
                    .results()
                    .collect(Collectors.toMap(
                            match -> match.group(1), match -> match.group(2), (one, other) -> one, TreeMap::new));
            if (!own.isEmpty()) {
                variables.put(fragment, own);
            }
        }
        return variables;
    }

    private static Set<String> fragments() throws IOException {
        try (Stream<Path> files = Files.list(FRAGMENTS)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".xml"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static List<Path> filesWithIncludes() throws IOException {
        try (Stream<Path> fragments = Files.list(FRAGMENTS)) {
            return Stream.concat(Documents.current().stream(), fragments)
                    .filter(file -> file.toString().matches(".*\\.(md|xml)"))
                    .toList();
        }
    }

    private static String page() throws IOException {
        return Files.readString(ROOT.resolve("docs/configuration.md"));
    }
}
