package dev.cdioutbox.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** Guards the commands and the YAML in the pages, which nothing else runs. */
class DocumentedCommandsTest {
    private static final Pattern MAVEN = Pattern.compile("(?<![\\w/])mvn +([^`\n#]+)");
    private static final Pattern PROFILES = Pattern.compile("(?<= |^)-P(\\S+)");
    private static final Pattern MODULES = Pattern.compile("(?<= |^)-pl (\\S+)");
    private static final Pattern PROPERTY = Pattern.compile("(?<= |^)-D([\\w.-]+)");
    private static final Pattern PROFILE = Pattern.compile("(?s)<profile>(?:\\s|<!--.*?-->)*<id>([^<]+)</id>");
    private static final Pattern YAML = Pattern.compile("(?ms)^ *```yaml\\n(.*?)^ *```");

    /** Those of Maven's plugins and of Liberty. All others belong to a pom or a test of this project. */
    private static final Pattern FOREIGN = Pattern.compile("skipTests|test|it\\.test|liberty\\.var\\..*");

    @Test
    void eachMavenCommandNamesProfilesModulesAndPropertiesThatExist() throws IOException {
        Set<String> profiles = new TreeSet<>();
        StringBuilder sources = new StringBuilder();
        for (Path file : projectFiles()) {
            String text = Files.readString(file);
            sources.append(text);
            PROFILE.matcher(text).results().forEach(profile -> profiles.add(profile.group(1)));
        }
        Set<String> unknown = new TreeSet<>();
        int commands = 0;
        for (Path page : Documents.current()) {
            for (MatchResult found :
                    MAVEN.matcher(Files.readString(page)).results().toList()) {
                commands++;
                String command = found.group(1).strip();
                parts(PROFILES, command)
                        .filter(profile -> !profiles.contains(profile))
                        .forEach(profile -> unknown.add(page + ": -P" + profile));
                parts(MODULES, command)
                        .filter(module ->
                                !Files.exists(Documents.ROOT.resolve(module).resolve("pom.xml")))
                        .forEach(module -> unknown.add(page + ": -pl " + module));
                parts(PROPERTY, command)
                        .filter(property -> !FOREIGN.matcher(property).matches())
                        .filter(property -> sources.indexOf(property) < 0)
                        .forEach(property -> unknown.add(page + ": -D" + property));
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(commands).isGreaterThan(30);
    }

    private static Stream<String> parts(Pattern option, String command) {
        return option.matcher(command)
                .results()
                .flatMap(found -> Stream.of(found.group(1).split(",")));
    }

    /** The poms, and the tests, which read properties. */
    private static List<Path> projectFiles() throws IOException {
        try (Stream<Path> files = Files.walk(Documents.ROOT)) {
            return files.filter(file -> !file.toString().contains("/target/"))
                    .filter(file -> file.endsWith("pom.xml") || file.toString().matches(".*/src/test/java/.*\\.java"))
                    .filter(file -> !file.endsWith("DocumentedCommandsTest.java"))
                    .toList();
        }
    }

    @Test
    void yamlOfPagesAndMonitoringCanBeParsed() throws IOException {
        int blocks = 0;
        for (Path page : Documents.all()) {
            for (MatchResult block :
                    YAML.matcher(Files.readString(page)).results().toList()) {
                blocks++;
                assertThat(parsed(block.group(1))).as("%s", page).isNotEmpty();
            }
        }
        assertThat(blocks).isPositive();
        Path monitoring = Documents.ROOT.resolve("liberty-config/src/main/cdi-outbox/monitoring");
        for (String file : Set.of("prometheus-rules.yml", "prometheus-scrape.yml")) {
            assertThat(parsed(Files.readString(monitoring.resolve(file))))
                    .as(file)
                    .isNotEmpty();
        }
    }

    private static Map<String, Object> parsed(String yaml) {
        return new Yaml().load(yaml);
    }
}
