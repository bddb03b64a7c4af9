package dev.cdioutbox.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.internal.config.ConfigKey.Scope;
import org.junit.jupiter.api.Test;

/**
 * Guards that the tables of docs/configuration.md are those of {@link ConfigKey}, and that documents and messages name no
 * other key.
 */
class DocumentedConfigurationTest {
    private static final Path PAGE = Documents.ROOT.resolve("docs/configuration.md");
    private static final Pattern ROW = Pattern.compile("\\| `(outbox\\.[^`]+)` \\|([^|]*)\\|.*");
    private static final Pattern CONSTANT =
            Pattern.compile("(?s)/\\*\\*((?:(?!\\*/).)*)\\*/\\s+(?:public )?static final ConfigKey<\\w+> (\\w+) =");
    private static final Pattern MENTIONED = Pattern.compile(
            "(?<![\\w./@-])outbox\\.[a-z][a-z0-9-]*(?:\\.(?:<[a-z ]+>|%s|[A-Za-z][A-Za-z0-9-]*))*(?![\\w(-])");

    private static final Pattern VARIABLE = Pattern.compile("<variable name=\"(outbox\\.[^\"]+)\" value=\"([^\"]*)\"");
    private static final Pattern OF_DESTINATION = Pattern.compile("^outbox\\.destinations\\.[a-z]+");

    /** What marks an external header: not a key. */
    private static final String EXTERNAL = "outbox.external";

    /** Writes the page as it should be, to be copied. */
    @Test
    void tablesOfThePageAreMadeFromTheKeys() throws IOException, ReflectiveOperationException {
        Map<String, String> meanings = meanings();
        List<String> page = new ArrayList<>();
        Set<String> listed = new TreeSet<>();
        for (String line : Files.readAllLines(PAGE)) {
            MatchResult row = ROW.matcher(line).results().findFirst().orElse(null);
            ConfigKey<?> key = row == null ? null : named(row.group(1));
            if (key != null) {
                listed.add(row.group(1));
            }
            page.add(key == null ? line : row(key, meanings.get(key.toString()), row.group(2)));
        }
        Path made = Files.write(Path.of("target", "configuration.md"), page);

        assertThat(listed).isEqualTo(names());
        assertThat(Files.readString(PAGE))
                .as("%s says what the page should be", made.toAbsolutePath())
                .isEqualTo(Files.readString(made));
    }

    @Test
    void keysThatOneDestinationMayHaveAreInOneSection() throws IOException {
        String page = Files.readString(PAGE);
        int start = page.indexOf("### Sending\n");
        Set<String> listed = page.substring(start, page.indexOf("\n### ", start + 1))
                .lines()
                .flatMap(line -> ROW.matcher(line).results())
                .map(row -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(listed)
                .isEqualTo(ConfigKey.all().stream()
                        .filter(key -> key.scope() == Scope.DESTINATION_TOO)
                        .map(ConfigKey::toString)
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    /** The reader copies them into server.xml: all of a page together are a configuration that the outbox accepts. */
    @Test
    void variablesOfAPageAreAValidConfiguration() throws IOException {
        int variables = 0;
        for (Path page : Documents.current()) {
            // If a page sets a key several times, the last value counts. Another page may define the destination.
            Map<String, String> set = new TreeMap<>();
            VARIABLE.matcher(Files.readString(page)).results().forEach(variable -> {
                set.put(variable.group(1), variable.group(2));
                Matcher destination = OF_DESTINATION.matcher(variable.group(1));
                if (destination.find()) {
                    set.putIfAbsent(destination.group() + ".jndi", "jms/elsewhere");
                }
            });
            variables += set.size();
            if (!set.isEmpty()) {
                String[] all = set.entrySet().stream()
                        .flatMap(entry -> Stream.of(entry.getKey(), entry.getValue()))
                        .toArray(String[]::new);
                assertThatCode(() -> TestConfig.of(all)).as("%s: %s", page, set).doesNotThrowAnyException();
            }
        }
        assertThat(variables).isGreaterThan(30);
    }

    @Test
    void documentsAndMessagesNameNoOtherKey() throws IOException {
        Set<String> unknown = new TreeSet<>();
        for (Path file : Stream.concat(Documents.current().stream(), sources()).toList()) {
            MENTIONED
                    .matcher(Files.readString(file))
                    .results()
                    .map(MatchResult::group)
                    .filter(key -> !isKnown(key))
                    .forEach(key -> unknown.add(Documents.ROOT.relativize(file) + ": " + key));
        }
        assertThat(unknown).isEmpty();
    }

    private static boolean isKnown(String mentioned) {
        String key = mentioned
                .replaceFirst("^outbox\\.outboxes\\.(<[a-z ]+>|%s|[A-Za-z0-9-]+)(\\.|$)", "outbox.")
                .replaceFirst("^outbox\\.destinations\\.(%s|[A-Za-z0-9-]+)", "outbox.destinations.<name>")
                .replaceFirst("^outbox\\.dead-letters\\.(%s|[A-Za-z0-9-]+)", "outbox.dead-letters.<name>")
                .replaceFirst("^outbox\\.(destinations\\.<name>\\.)?kafka\\.[a-z.]+", "outbox.$1kafka.<property>")
                .replaceFirst("^outbox\\.routes\\.(%s|[A-Za-z0-9-]+)", "outbox.routes.<event type>");
        return key.equals(EXTERNAL)
                || key.equals("outbox.")
                || ConfigKey.all().stream()
                        .flatMap(known -> known.scope() == Scope.DESTINATION_TOO
                                ? Stream.of(known.toString(), known.of("<name>"))
                                : Stream.of(known.toString()))
                        .anyMatch(known -> known.equals(key) || known.startsWith(key + "."));
    }

    /** @param present what the page has as a default that depends on other keys */
    private static String row(ConfigKey<?> key, String meaning, String present) {
        ValueType<?> type = key.type();
        String text = key.defaultText() == null ? present.strip() : "`" + key.defaultText() + "`";
        String limits = type.from() == null ? "" : "`%s` to `%s`. ".formatted(type.from(), type.to());
        String effect = key.effect() == ConfigKey.Effect.AT_START ? "start" : "at once";
        assertThat(text).as("%s: a default of its own", key).matches(key.defaultText() == null ? "[^`]*" : ".*");
        return "| `%s` | %s | %s%s | %s |"
                .formatted(key, text, limits, meaning, effect)
                .replaceAll("  +", " ");
    }

    /** The Javadoc of each key, in Markdown. */
    private static Map<String, String> meanings() throws IOException, ReflectiveOperationException {
        String source = Files.readString(
                Path.of("src/main/java", ConfigKey.class.getName().replace('.', '/') + ".java"));
        Map<String, String> meanings = new TreeMap<>();
        for (MatchResult constant : CONSTANT.matcher(source).results().toList()) {
            String text = constant.group(1)
                    .replaceAll("\\s+(\\* )?", " ")
                    .strip()
                    .replaceAll("\\{@code ([^}]+)}", "`$1`")
                    .replaceAll("<a href=\"([^\"]+)\"> ?(.*?)</a>", "[$2]($1)");
            meanings.put(
                    ConfigKey.class
                            .getDeclaredField(constant.group(2))
                            .get(null)
                            .toString(),
                    text);
        }
        assertThat(meanings.keySet()).as("keys with a Javadoc").isEqualTo(names());
        return meanings;
    }

    private static Set<String> names() {
        return ConfigKey.all().stream().map(ConfigKey::toString).collect(Collectors.toCollection(TreeSet::new));
    }

    private static ConfigKey<?> named(String name) {
        return ConfigKey.all().stream()
                .filter(key -> key.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is no key: remove its row"));
    }

    /** All that an operator may read: messages of all modules, and the console's pages. */
    private static Stream<Path> sources() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String module :
                List.of("outbox-api", "outbox-engine", "outbox-cdi", "outbox-console", "outbox-jms", "outbox-kafka")) {
            try (Stream<Path> found = Files.walk(Documents.ROOT.resolve(module).resolve("src/main"))) {
                found.filter(file -> file.toString().matches(".*\\.(java|js|sql)"))
                        .forEach(files::add);
            }
        }
        return files.stream();
    }
}
