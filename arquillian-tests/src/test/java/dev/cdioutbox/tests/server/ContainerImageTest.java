package dev.cdioutbox.tests.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The image of the sample, without a build of it: the build needs its base from a registry. */
class ContainerImageTest {
    private static final Pattern INCLUDE = Pattern.compile("<include location=\"([^\"]+)\"");
    private static final Pattern TESTED = Pattern.compile("<liberty.version>([^<]+)<");
    private static final Pattern TAG = Pattern.compile("([\\d.]+)-full-java(\\d+)-.*");

    @Test
    void imageHasAllFilesThatItsServerNeeds(@TempDir Path config) throws IOException {
        ContainerImage.SAMPLE.copyTo(config);

        assertThat(files(config))
                .contains("server.xml", "apps/sample.war", "artemis/liberty-artemis.rar")
                .anyMatch(file -> file.matches("jdbc/postgresql-[\\d.]+\\.jar"));
        assertThat(config.resolve("server.xml")).satisfies(ContainerImageTest::hasItsIncludes);
    }

    private static void hasItsIncludes(Path xml) throws IOException {
        for (MatchResult include :
                INCLUDE.matcher(Files.readString(xml)).results().toList()) {
            Path included = xml.getParent().resolve(include.group(1).replace("${server.config.dir}/cdi-outbox/", ""));
            assertThat(included).isRegularFile().satisfies(ContainerImageTest::hasItsIncludes);
        }
    }

    @Test
    void baseIsALibertyAndAJavaThatAreAsNewAsTheTestedOnes() throws IOException {
        Matcher tested = TESTED.matcher(Files.readString(Path.of("..", "pom.xml")));
        Matcher tag = TAG.matcher(ContainerImage.SAMPLE.tag());

        assertThat(tested.find()).isTrue();
        assertThat(tag).matches(Matcher::matches, "names a version, all features and a Java");
        assertThat(Version.parse(tag.group(1))).isGreaterThanOrEqualTo(Version.parse(tested.group(1)));
        assertThat(Integer.parseInt(tag.group(2))).isGreaterThanOrEqualTo(17);
    }

    private static Stream<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file -> folder.relativize(file).toString()).toList().stream();
        }
    }
}
