package dev.cdioutbox.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** Guards that the documents name each configuration key that the code reads, with its default, and no other key. */
class DocumentedConfigurationTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`outbox\\.[^|]+`) \\|([^|]*)\\|");
    private static final Pattern MENTIONED = Pattern.compile(
            "(?<![\\w./@-])outbox\\.[a-z][a-z0-9-]*(?:\\.(?:<[a-z ]+>|[A-Za-z][A-Za-z0-9-]*))*(?![\\w(-])");

    /** Attributes of a span, not keys. */
    private static final Set<String> SPAN_ATTRIBUTES =
            Set.of("outbox.attempts", "outbox.event.type", "outbox.destination.name");

    @Test
    void configurationPageListsExactlyTheKeysThatAreRead() throws IOException {
        Set<String> listed = rows().keySet();

        assertThat(listed).isEqualTo(keysThatAreRead());
    }

    @Test
    void plainDefaultsAreTheDefaultsOfTheCode() throws IOException {
        Map<String, String> rows = rows();
        rows.keySet().removeIf(key -> key.contains("<"));
        rows.values().removeIf(text -> !text.matches("`[^`]+`"));
        rows.replaceAll((key, text) -> text.substring(1, text.length() - 1));

        // Setting each key to its documented default changes nothing.
        assertThat(rows).hasSizeGreaterThan(25);
        String[] documented = rows.entrySet().stream()
                .flatMap(row -> Stream.of(row.getKey(), row.getValue()))
                .toArray(String[]::new);
        assertThat(TestConfig.of(documented)).isEqualTo(TestConfig.of());
    }

    @Test
    void keysWithTheEffectStartAreThoseThatNeedARestart() throws IOException {
        Set<String> start = Pattern.compile("(?m)^\\| `(outbox\\.[^`]+)` \\|.*\\| [^|]*\\bstart\\b[^|]* \\|$")
                .matcher(Files.readString(Documents.ROOT.resolve("docs/configuration.md")))
                .results()
                .map(row -> row.group(1))
                .collect(Collectors.toSet());
        Set<String> read = keysThatAreRead();
        read.removeIf(key -> !ConfigReader.READ_AT_START.matcher(key).matches());

        assertThat(start).isEqualTo(read);
    }

    @Test
    void documentsMentionNoOtherKey() throws IOException {
        Set<String> read = keysThatAreRead();
        Set<String> unknown = new TreeSet<>();
        for (Path document : Documents.current()) {
            Matcher mentioned = MENTIONED.matcher(Files.readString(document));
            mentioned
                    .results()
                    .map(MatchResult::group)
                    .filter(key -> !isKnown(key, read))
                    .forEach(key -> unknown.add(Documents.ROOT.relativize(document) + ": " + key));
        }
        assertThat(unknown).isEmpty();
    }

    private static boolean isKnown(String mentioned, Set<String> read) {
        String key = mentioned
                .replaceFirst("^outbox\\.outboxes\\.(<[a-z ]+>|[A-Za-z0-9-]+)(\\.|$)", "outbox.")
                .replaceFirst("^outbox\\.destinations\\.[A-Za-z0-9-]+", "outbox.destinations.<name>")
                .replaceFirst("^outbox\\.routes\\.[A-Za-z0-9-]+", "outbox.routes.<event type>");
        return SPAN_ATTRIBUTES.contains(key)
                || key.equals("outbox.")
                || read.contains(key)
                || read.stream().anyMatch(known -> known.startsWith(key + "."));
    }

    /** The default of each key. A row may have several keys, of which all but the first leave out the common prefix. */
    private static Map<String, String> rows() throws IOException {
        Map<String, String> rows = new TreeMap<>();
        Matcher found = ROW.matcher(Files.readString(Documents.ROOT.resolve("docs/configuration.md")));
        for (MatchResult row : found.results().toList()) {
            String[] keys = row.group(1).replace("`", "").split(", ");
            String prefix = keys[0].substring(0, keys[0].lastIndexOf('.'));
            for (String key : keys) {
                rows.put(key.startsWith(".") ? prefix + key : key, row.group(2).strip());
            }
        }
        return rows;
    }

    /** The keys for one destination and one route; the documents have placeholders for these two names. */
    private static Set<String> keysThatAreRead() {
        Map<String, String> set =
                Map.of("outbox.destinations.billing.jndi", "jms/billing", "outbox.routes.OrderPlaced", "billing");
        Set<String> asked = new TreeSet<>();
        ConfigKeys keys = new ConfigKeys(
                ConfigKeys.DEFAULT_OUTBOX,
                key -> {
                    asked.add(key);
                    return Optional.ofNullable(set.get(key));
                },
                set.keySet());
        new ConfigReader(keys, TestConfig.MODULE).read();
        return asked.stream()
                .map(key -> key.replaceFirst(
                                "^outbox\\.destinations\\.(billing|default)\\.", "outbox.destinations.<name>.")
                        .replaceFirst("^outbox\\.routes\\..*", "outbox.routes.<event type>"))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
