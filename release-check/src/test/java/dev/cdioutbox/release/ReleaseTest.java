package dev.cdioutbox.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.cyclonedx.model.Component;
import org.cyclonedx.parsers.JsonParser;
import org.cyclonedx.parsers.XmlParser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Releases the commit HEAD twice, as 1.0.0-RC1 into a folder each, and uses the release as others would. */
class ReleaseTest {
    private static final String DEPLOYED = """
            cdi-outbox: -cyclonedx.json -cyclonedx.xml .pom
            liberty-artemis: -cyclonedx.json -cyclonedx.xml -javadoc.jar -sources.jar .pom .rar
            liberty-config: -cyclonedx.json -cyclonedx.xml .pom .zip
            outbox-api: -cyclonedx.json -cyclonedx.xml -javadoc.jar -sources.jar .jar .pom
            outbox-bom: .pom
            outbox-cdi: -cyclonedx.json -cyclonedx.xml -javadoc.jar -sources.jar -testing.jar -tests.jar .jar .pom
            outbox-console: -cyclonedx.json -cyclonedx.xml -javadoc.jar -sources.jar .jar .pom
            outbox-engine: -compliance.jar -cyclonedx.json -cyclonedx.xml -javadoc.jar -sources.jar -tests.jar .jar .pom
            outbox-jms: -cyclonedx.json -cyclonedx.xml -javadoc.jar -sources.jar .jar .pom
            outbox-kafka: -cyclonedx.json -cyclonedx.xml -javadoc.jar -sources.jar -tests.jar .jar .pom
            """;

    /** What a user adds to the pom of the tutorial's shop. */
    private static final String REPOSITORY_AND_BOM = """
              <repositories>
                <repository>
                  <id>release</id>
                  <url>file://%s</url>
                  <releases><checksumPolicy>fail</checksumPolicy></releases>
                </repository>
              </repositories>
              <dependencyManagement>
                <dependencies>
                  <dependency>
                    <groupId>dev.cdioutbox</groupId>
                    <artifactId>outbox-bom</artifactId>
                    <version>${cdi-outbox.version}</version>
                    <type>pom</type>
                    <scope>import</scope>
                  </dependency>
                </dependencies>
              </dependencyManagement>
              <dependencies>
            """;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path work;

    @BeforeAll
    static void releaseTwice() {
        bash("mkdir -m 700 gnupg; gpg --batch --passphrase '' --quick-generate-key release-check");
        // The builds install into a copy of the local repository, which nobody else uses.
        bash("cp -rs $LOCAL_REPOSITORY local; rm -rf local/dev/cdioutbox");
        release("first", "");
        release("second", "-Duser.language=de -Duser.timezone=Asia/Tokyo");
    }

    private static void release(String name, String optionsOfTheJvm) {
        bash("""
                git clone --quiet $SOURCES %1$s
                cd %1$s
                .ci/version 1.0.0-RC1
                export MAVEN_OPTS='%2$s'
                $MVN clean deploy -Prelease -DskipTests -Dmaven.repo.local=../local \
                  -DaltDeploymentRepository=folder::file://$PWD/../%1$s-repository
                """.formatted(name, optionsOfTheJvm));
    }

    @AfterAll
    static void endTheAgent() {
        bash("gpgconf --kill all");
    }

    @Test
    void deployedFilesAreThoseOfTheModulesForUsers() {
        assertThat(bash("""
                                cd first-repository/dev/cdioutbox
                                for module in *; do
                                  echo $module: $(ls $module/1.0.0-RC1 | grep -vE '\\.(asc|md5|sha1|sha256|sha512)$' |
                                    sed "s/$module-1.0.0-RC1//")
                                done
                                """)).isEqualTo(DEPLOYED);
    }

    /** In other time zones and languages, too. A signature, and the list of the versions, has the time of its making. */
    @Test
    void bothReleasesHaveTheSameBits() {
        bash("diff -rq --exclude='*.asc' --exclude='maven-metadata.xml*' first-repository second-repository");
    }

    @Test
    void eachFileHasItsSignatureAndChecksums() {
        bash("""
                cd first-repository/dev/cdioutbox
                for file in $(ls -d */1.0.0-RC1/* | grep -vE '\\.(asc|md5|sha1|sha256|sha512)$'); do
                  gpg --batch --verify $file.asc $file
                  for sum in md5 sha1 sha256 sha512; do
                    echo "$(cat $file.$sum)  $file" | ${sum}sum --check --strict
                  done
                done
                """);
    }

    @Test
    void billsOfMaterialsAreValidAndNameWhatAJarBrings() throws Exception {
        List<Path> bills;
        try (Stream<Path> files = Files.walk(work.resolve("first-repository"))) {
            bills = files.filter(file -> file.toString().matches(".*-cyclonedx\\.(json|xml)"))
                    .toList();
        }
        assertThat(bills).isNotEmpty();
        for (Path bill : bills) {
            File file = bill.toFile();
            assertThat(
                            file.getName().endsWith(".json")
                                    ? new JsonParser().validate(file)
                                    : new XmlParser().validate(file))
                    .as(bill.toString())
                    .isEmpty();
        }
        assertThat(components("outbox-jms")).containsExactlyInAnyOrder("outbox-api", "outbox-engine", "outbox-cdi");
        assertThat(components("liberty-artemis")).contains("artemis-jakarta-ra");
    }

    private static List<String> components(String module) throws Exception {
        Path bill = work.resolve(
                "first-repository/dev/cdioutbox/%1$s/1.0.0-RC1/%1$s-1.0.0-RC1-cyclonedx.json".formatted(module));
        return new JsonParser()
                .parse(bill.toFile()).getComponents().stream()
                        .map(Component::getName)
                        .toList();
    }

    @Test
    void shopOfTheTutorialIsBuiltWithTheBomAndAnEmptyLocalRepository() throws IOException {
        bash("cp -r first/docs/shop shop");
        Path pom = work.resolve("shop/pom.xml");
        Files.writeString(
                pom,
                Files.readString(pom)
                        .replace("  <dependencies>\n", REPOSITORY_AND_BOM.formatted(work.resolve("first-repository")))
                        .replaceAll(
                                "(<artifactId>(?:outbox-jms|outbox-console|liberty-config)</artifactId>)\\s*<version>.*</version>",
                                "$1"));

        bash("cd shop; $MVN package -Dmaven.repo.local=../empty");

        assertThat(bash("jar tf shop/target/shop.war | grep 'jar$'").lines())
                .containsExactlyInAnyOrder(
                        "WEB-INF/lib/outbox-api-1.0.0-RC1.jar",
                        "WEB-INF/lib/outbox-engine-1.0.0-RC1.jar",
                        "WEB-INF/lib/outbox-cdi-1.0.0-RC1.jar",
                        "WEB-INF/lib/outbox-jms-1.0.0-RC1.jar",
                        "WEB-INF/lib/outbox-console-1.0.0-RC1.jar");
    }

    @Test
    void methodThatIsMissingInTheNextReleaseIsFound() {
        String verify = "cd next; $MVN verify -Prelease -DskipTests -Dgpg.skip -Dmaven.repo.local=../local";
        bash("""
                git clone --quiet $SOURCES next
                cd next
                .ci/version 1.0.0-RC2
                sed -i 's|<api.check.skip>true|<api.check.skip>false|; s|<api.baseline>[^<]*|<api.baseline>1.0.0-RC1|' pom.xml
                """);
        bash(verify);

        bash("sed -i 's/isPaused/isHeld/' next/outbox-api/src/main/java/dev/cdioutbox/operate/OutboxBacklog.java");
        assertThatThrownBy(() -> bash(verify + " -pl outbox-api"))
                .hasMessageContaining("OutboxBacklog.isPaused(java.lang.String):METHOD_REMOVED");
    }

    @Test
    void versionIsSetBackAndAPlaceThatKeepsTheOldOneIsFound() {
        bash("""
                git clone --quiet $SOURCES versions
                cd versions
                .ci/version 1.0.0-RC1
                .ci/version $(git show HEAD:pom.xml | sed -nE 's|^  <version>(.+)</version>$|\\1|p')
                git diff --exit-code
                .ci/version 9.0.0-SNAPSHOT
                echo 'The version is 9.0.0-SNAPSHOT.' >> README.md
                """);
        assertThatThrownBy(() -> bash("cd versions; .ci/version 9.0.0"))
                .hasMessageContaining("The version is 9.0.0-SNAPSHOT.");
    }

    /** Runs commands in the folder of this test. Returns what they print, and throws it if one of them fails. */
    private static String bash(String script) {
        ProcessBuilder bash = new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", script)
                .directory(work.toFile())
                .redirectErrorStream(true);
        String maven = System.getProperty("maven.home");
        bash.environment()
                .putAll(Map.of(
                        "GNUPGHOME", work.resolve("gnupg").toString(),
                        "JAVA_HOME", System.getProperty("java.home"),
                        "LOCAL_REPOSITORY", System.getProperty("maven.repository"),
                        "MVN", maven + "/bin/mvn --batch-mode --no-transfer-progress --quiet",
                        "SOURCES", Path.of("..").toAbsolutePath().normalize().toString()));
        bash.environment().remove("MAVEN_OPTS");
        try {
            Process process = bash.start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(script + "\n" + output);
            }
            return output;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(script, e);
        }
    }
}
