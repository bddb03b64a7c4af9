package dev.cdioutbox.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

/** The picture of the modules in docs/internals.md, and the BOM, show the jars as they are built. */
class DocumentedHouseTest {
    private static final Pattern PICTURE = Pattern.compile("## The modules\\s+```\n(.*?)```", Pattern.DOTALL);
    private static final Pattern JAR = Pattern.compile("outbox-[a-z]+");

    /** A dependency that a user of the jar gets as well. */
    private static final Pattern NEEDED = Pattern.compile(
            "<dependency>\\s*<groupId>dev.cdioutbox</groupId>\\s*<artifactId>([a-z-]+)</artifactId>\\s*</dependency>");

    @Test
    void eachJarNeedsThoseToItsRight() throws IOException {
        List<List<String>> rows = PICTURE.matcher(Files.readString(Documents.ROOT.resolve("docs/internals.md")))
                .results()
                .flatMap(picture -> picture.group(1).lines())
                .map(line -> JAR.matcher(line).results().map(MatchResult::group).toList())
                .toList();
        List<String> chain =
                rows.stream().filter(row -> row.size() > 1).findFirst().orElseThrow();
        List<String> leftmost = rows.stream().map(row -> row.get(0)).toList();
        Set<String> shown = new TreeSet<>(chain);
        shown.addAll(leftmost);

        assertThat(shown).isEqualTo(jars());
        for (String jar : shown) {
            int place = leftmost.contains(jar) ? 0 : chain.indexOf(jar);
            assertThat(needed(jar)).as(jar).isEqualTo(new TreeSet<>(chain.subList(place + 1, chain.size())));
        }
    }

    @Test
    void bomHasEachJarInTheVersionOfTheBuild() throws IOException {
        String bom = Files.readString(Documents.ROOT.resolve("outbox-bom/pom.xml"));
        String build = Files.readString(Documents.ROOT.resolve("pom.xml"));

        assertThat(JAR.matcher(bom.substring(bom.indexOf("<dependencyManagement>")))
                        .results()
                        .map(MatchResult::group))
                .containsOnlyOnceElementsOf(without(jars(), "outbox-cdi"))
                .contains("outbox-cdi");
        assertThat(version(bom)).isEqualTo(version(build));
    }

    /** Those that are built for users, by the folders that have a pom. */
    private static Set<String> jars() throws IOException {
        try (var folders = Files.list(Documents.ROOT)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve("src/main/java")))
                    .map(folder -> folder.getFileName().toString())
                    .filter(name -> JAR.matcher(name).matches())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static List<String> without(Set<String> jars, String one) {
        List<String> others = new ArrayList<>(jars);
        others.remove(one);
        return others;
    }

    private static Set<String> needed(String jar) throws IOException {
        return NEEDED.matcher(Files.readString(Documents.ROOT.resolve(jar).resolve("pom.xml")))
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String version(String pom) {
        return pom.replaceFirst("(?s).*?<version>([^<]*)</version>.*", "$1");
    }
}
