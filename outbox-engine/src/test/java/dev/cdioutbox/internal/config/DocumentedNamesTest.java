package dev.cdioutbox.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.OutboxCode;
import org.junit.jupiter.api.Test;

/**
 * Guards the links and names in the pages. A link leads to an existing file and heading; a name is that of a file,
 * fragment, code, test or table.
 */
class DocumentedNamesTest {
    private static final Set<String> MODULES = Set.of(
            "outbox-api",
            "outbox-engine",
            "outbox-cdi",
            "outbox-console",
            "outbox-jms",
            "outbox-kafka",
            "liberty-config",
            "sample-war",
            "arquillian-tests");
    private static final Path FRAGMENTS = Documents.ROOT.resolve("liberty-config/src/main/cdi-outbox");
    private static final Path CDC = Path.of("../liberty-config/src/main/cdi-outbox/cdc");
    private static final Path SCHEMAS = Path.of("src/main/resources/dev/cdioutbox/internal/store/schema");

    private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```");
    private static final Pattern CODE_SPAN = Pattern.compile("`[^`\n]*`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");
    private static final Pattern XML_FILE = Pattern.compile("(?<![\\w./${}-])(cdi-outbox/)?([a-z0-9-]+\\.xml)\\b");
    private static final Pattern FILE = Pattern.compile(
            "(?<![\\w@/.:{}$<>*%-])(?:[\\w-][\\w.-]*/)*[\\w-][\\w.-]*\\.(?:md|sql|java|json|ya?ml|html|js|css|png|svg|sh)\\b(?![\\w/-])");
    private static final Pattern VARIABLE =
            Pattern.compile("(?<![\\w./@-])cdioutbox\\.[a-z][a-z0-9-]*(?:\\.[a-z][a-z0-9-]*)*");
    private static final Pattern DEFINED = Pattern.compile("<variable name=\"([^\"]+)\"");
    /** With a section after a comma, which leads nowhere, so that it is found. */
    private static final Pattern PAGE_ELSEWHERE = Pattern.compile("docs/[\\w/-]+\\.md(?:#[\\w-]*|, [A-Z]\\w*)?");

    private static final Pattern CODE = Pattern.compile("OBX-\\d{4}");
    private static final Pattern TEST = Pattern.compile("\\b[A-Z][A-Za-z0-9]*[a-z0-9](?:IT|Test)\\b");
    private static final Pattern TEST_OF_THE_READER = Pattern.compile("\\bclass (\\w+(?:IT|Test))\\b");
    private static final Pattern OPEN_LIBERTY = Pattern.compile("\\b\\d\\d\\.0\\.0\\.\\d+\\b");
    private static final Pattern OUTBOX_NAME = Pattern.compile("(?<![\\w.])outbox_[a-z_]+");

    private static final Set<String> FOR_CONTRIBUTORS =
            Set.of("CONTRIBUTING.md", "docs/benchmark.md", "docs/evidence.md", "docs/internals.md");

    /** Files of an application, of its server, of a broker, or of Maven. Every other XML file is a fragment. */
    private static final Set<String> FILES_OF_THE_READER = Set.of(
            "activemq.xml",
            "arquillian.xml",
            "beans.xml",
            "containers.xml",
            "ejb-jar.xml",
            "ibm-web-ext.xml",
            "orm.xml",
            "persistence.xml",
            "pom.xml",
            "server.xml",
            "standalone-full.xml",
            "web.xml");

    /** Files that the build or the reader writes, files of a later version, and names of packages. */
    private static final Pattern NO_FILE_OF_THE_PROJECT =
            Pattern.compile("arquillian-tests/target/.*|bom\\.json|src/(main|test)/java/org/example/.*|InDoubt\\.java"
                    + "|outbox-1\\.sql|src/main/resources/db/migration/.*|(postgresql/)?1-to-2\\.sql|2\\.sql"
                    + "|(javax?|store)\\.sql|(asyncapi|jakarta)\\.json");

    @Test
    void everyLinkLeadsToAFileAndHeading() throws IOException {
        Set<String> broken = new TreeSet<>();
        int links = 0;
        for (Path page : Documents.all()) {
            String text = CODE_SPAN
                    .matcher(CODE_BLOCK.matcher(Files.readString(page)).replaceAll(""))
                    .replaceAll("code");
            for (MatchResult link : LINK.matcher(text).results().toList()) {
                String target = link.group(1);
                if (!target.matches("[a-z]+:.*")) {
                    links++;
                    if (!exists(page, target)) {
                        broken.add(Documents.ROOT.relativize(page) + ": " + target);
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(100);
    }

    /** Alert rules, fragments, messages and comments name pages, too. */
    @Test
    void everyPageThatAnotherFileNamesExists() throws IOException {
        Set<String> broken = new TreeSet<>();
        int mentioned = 0;
        for (Path file : shipped()) {
            for (MatchResult page :
                    PAGE_ELSEWHERE.matcher(Files.readString(file)).results().toList()) {
                mentioned++;
                if (!exists(Documents.ROOT.resolve("README.md"), page.group())) {
                    broken.add(Documents.ROOT.relativize(file) + ": " + page.group());
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(mentioned).isGreaterThan(20);
    }

    /** The texts of the product that are not pages. */
    private static Set<Path> shipped() throws IOException {
        Set<Path> shipped = new TreeSet<>();
        for (Path sources : ofEachModule("src/main")) {
            for (String type : List.of(".java", ".xml", ".yml", ".yaml", ".json", ".js", ".html", ".sql")) {
                shipped.addAll(files(sources, type));
            }
        }
        return shipped;
    }

    private static List<Path> ofEachModule(String folder) {
        return MODULES.stream()
                .map(module -> Documents.ROOT.resolve(module).resolve(folder))
                .filter(Files::exists)
                .toList();
    }

    private static boolean exists(Path page, String target) throws IOException {
        int hash = target.indexOf('#');
        String file = hash < 0 ? target : target.substring(0, hash);
        Path path = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (!Files.exists(path)) {
            return false;
        }
        return hash < 0
                || HEADING.matcher(CODE_BLOCK.matcher(Files.readString(path)).replaceAll(""))
                        .results()
                        .anyMatch(heading -> anchor(heading.group(1)).equals(target.substring(hash + 1)));
    }

    /** The anchor that GitHub makes of a heading. */
    private static String anchor(String heading) {
        return heading.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }

    @Test
    void everyFileOfTheProjectExists() throws IOException {
        List<String> paths = new ArrayList<>();
        Set<String> folders = new TreeSet<>(MODULES);
        folders.add("docs");
        for (String folder : folders) {
            files(Documents.ROOT.resolve(folder), "").stream()
                    .map(file -> "/" + Documents.ROOT.relativize(file))
                    .forEach(paths::add);
        }
        Documents.all().forEach(page -> paths.add("/" + Documents.ROOT.relativize(page)));
        assertMentioned(
                FILE,
                file -> NO_FILE_OF_THE_PROJECT.matcher(file.group()).matches()
                        || paths.stream().anyMatch(path -> path.endsWith("/" + file.group())));
    }

    @Test
    void everyXmlFileIsAFragmentOrOfTheReader() throws IOException {
        assertMentioned(
                XML_FILE,
                file -> file.group(1) == null && FILES_OF_THE_READER.contains(file.group(2))
                        || Files.exists(FRAGMENTS.resolve(file.group(2))));
    }

    /** Such a name is that of a variable, or of an attribute or a metric for OpenTelemetry. */
    @Test
    void everyVariableIsDefinedByAFragment() throws IOException {
        Set<String> defined = new TreeSet<>();
        for (Path fragment : files(FRAGMENTS, ".xml")) {
            DEFINED.matcher(Files.readString(fragment)).results().forEach(variable -> defined.add(variable.group(1)));
        }
        assertThat(defined).hasSizeGreaterThan(25);
        String sources = sources();
        assertMentioned(
                VARIABLE,
                variable -> defined.stream().anyMatch(known -> (known + ".").startsWith(variable.group() + "."))
                        || sources.contains("\"" + variable.group() + "\"")
                        || sources.contains("\"" + variable.group().replace("cdioutbox.", "outbox_")));
    }

    @Test
    void everyCodeExists() throws IOException {
        Set<String> codes =
                Arrays.stream(OutboxCode.values()).map(OutboxCode::code).collect(Collectors.toSet());
        assertMentioned(CODE, code -> codes.contains(code.group()));
        for (Path file : shipped()) {
            assertThat(CODE.matcher(Files.readString(file)).results().map(MatchResult::group))
                    .as(file.toString())
                    .isSubsetOf(codes);
        }
    }

    @Test
    void everyTestExists() throws IOException {
        Set<String> tests = tests();
        tests.addAll(testsOfTheReader());
        assertMentioned(TEST, test -> tests.contains(test.group()));
    }

    /** The name of a test says nothing to a user. docs/evidence.md has it. */
    @Test
    void onlyPagesForContributorsNameATestOfTheProject() throws IOException {
        Set<String> tests = tests();
        tests.removeAll(testsOfTheReader());
        Set<String> named = new TreeSet<>();
        for (Path page : Documents.current()) {
            String name = Documents.ROOT.relativize(page).toString();
            if (!FOR_CONTRIBUTORS.contains(name)) {
                TEST.matcher(Files.readString(page))
                        .results()
                        .filter(test -> tests.contains(test.group()))
                        .forEach(test -> named.add(name + ": " + test.group()));
            }
        }
        assertThat(named).isEmpty();
    }

    private static Set<String> testsOfTheReader() throws IOException {
        Set<String> tests = new TreeSet<>();
        for (Path page : Documents.current()) {
            TEST_OF_THE_READER.matcher(Files.readString(page)).results().forEach(test -> tests.add(test.group(1)));
        }
        return tests;
    }

    private static Set<String> tests() throws IOException {
        Set<String> tests = new TreeSet<>();
        for (Path sources : ofEachModule("src/test/java")) {
            files(sources, ".java")
                    .forEach(file -> tests.add(file.getFileName().toString().replace(".java", "")));
        }
        return tests;
    }

    /** Such a name is that of a metric, table, view, index, or field of a log line. */
    @Test
    void everyOutboxNameIsInTheSources() throws IOException {
        StringBuilder sources = new StringBuilder();
        for (Path schema : files(SCHEMAS, ".sql")) {
            sources.append(Files.readString(schema).replaceAll("\\$\\{(prefix|index)}", "outbox_"));
        }
        for (String type : List.of(".sql", ".json")) {
            for (Path shipped : files(CDC, type)) {
                sources.append(Files.readString(shipped));
            }
        }
        sources.append(sources());
        Set<String> known = OUTBOX_NAME
                .matcher(sources)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
        assertMentioned(OUTBOX_NAME, name -> {
            // A timer is exposed with its unit, a histogram with its parts; PostgreSQL names the sequence of a column.
            String registered = name.group().replaceFirst("_seconds(_bucket|_count|_sum|_max)?$", "");
            return known.contains(name.group())
                    || known.contains(registered)
                    || name.group().equals("outbox_")
                    || name.group().equals("outbox_message_seq_seq");
        });
    }

    private static String sources() throws IOException {
        StringBuilder sources = new StringBuilder();
        for (String module :
                Set.of("outbox-api", "outbox-engine", "outbox-cdi", "outbox-console", "outbox-jms", "outbox-kafka")) {
            for (Path source : files(Documents.ROOT.resolve(module).resolve("src/main/java"), ".java")) {
                sources.append(Files.readString(source));
            }
        }
        return sources.toString();
    }

    @Test
    void supportedVersionsAreThoseOfTheBuild() throws IOException {
        String page = Files.readString(Documents.ROOT.resolve("docs/supported-versions.md"));
        String build = Files.readString(Documents.ROOT.resolve("pom.xml"));
        for (String property : Set.of(
                "liberty.version",
                "maven.compiler.release",
                "postgresql-binaries.version",
                "postgresql.version",
                "h2.version",
                "mariadb.version",
                "mariadb-java-client.version",
                "mysql-connector.version",
                "activemq.version",
                "activemq-rar.version",
                "kafka.version",
                "kafka.second.version",
                "debezium.version",
                "artemis.version",
                "artemis-ra.version",
                "qpid-jms.version",
                "wildfly.version",
                "payara.version",
                "glassfish.version")) {
            String version = build.replaceFirst("(?s).*<" + property + ">([^<]+)<.*", "$1");
            assertThat(page)
                    .as("%s is %s", property, version)
                    .containsPattern("\\| [^|]*(?<![\\d.])" + Pattern.quote(version) + "(?![\\d.])[^|]* \\|");
        }
    }

    @Test
    void readmeAndTutorialNameTheServerOfTheBuild() throws IOException {
        String version = Files.readString(Documents.ROOT.resolve("pom.xml"))
                .replaceFirst("(?s).*<liberty.version>([^<]+)<.*", "$1");
        for (String page : Set.of("README.md", "docs/tutorial.md")) {
            assertThat(OPEN_LIBERTY
                            .matcher(Files.readString(Documents.ROOT.resolve(page)))
                            .results()
                            .map(MatchResult::group))
                    .as(page)
                    .isNotEmpty()
                    .containsOnly(version);
        }
    }

    private static void assertMentioned(Pattern pattern, Known known) throws IOException {
        Set<String> unknown = new TreeSet<>();
        int mentioned = 0;
        for (Path page : Documents.current()) {
            for (MatchResult name :
                    pattern.matcher(Files.readString(page)).results().toList()) {
                mentioned++;
                if (!known.test(name)) {
                    unknown.add(Documents.ROOT.relativize(page) + ": " + name.group());
                }
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(mentioned).isGreaterThan(10);
    }

    /** Without what a build writes, which may vanish meanwhile. */
    private static Set<Path> files(Path folder, String suffix) throws IOException {
        Set<Path> files = new TreeSet<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
                return visited.endsWith("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(suffix)) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }

    private interface Known {
        boolean test(MatchResult name) throws IOException;
    }
}
