package dev.cdioutbox.internal.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.MissingFormatArgumentException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Guards that each code is unique, has a text with all its arguments, and is in the documents. */
class OutboxCodeTest {
    private static final Pattern CODE = Pattern.compile("OBX-\\d{4}");
    private static final Pattern ROW =
            Pattern.compile("<tr><td>\\{@link (?:\\w+\\.)*(\\w+)}</td>.*?<td>(OBX[^<]*)</td></tr>", Pattern.DOTALL);

    @Test
    void codesAreUniqueAndOfOneForm() {
        List<String> codes =
                Arrays.stream(OutboxCode.values()).map(OutboxCode::code).toList();

        assertThat(codes).doesNotHaveDuplicates().allMatch(code -> CODE.matcher(code)
                .matches());
    }

    @ParameterizedTest
    @EnumSource
    void codeIsNamedOnceAndFirst(OutboxCode problem) {
        String text = problem.text(arguments(problem));

        assertThat(text).startsWith(problem.code() + ": ");
        assertThat(CODE.matcher(text).results()).hasSize(1);
        assertThat(problem.exception(arguments(problem)))
                .hasMessage(text)
                .extracting("code")
                .isEqualTo(problem.code());
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 s",
        "PT0.5S, 0.5 s",
        "PT5S, 5 s",
        "PT1M, 1 min",
        "PT1M1S, 1 min 1 s",
        "PT2H30M, 2 h 30 min",
        "PT2H0.1S, 2 h 0.1 s",
        "P1DT1H, 1 d 1 h"
    })
    void durationIsReadable(Duration duration, String text) {
        assertThat(OutboxCode.BROKER_SILENT.text("a", duration)).contains("has waited for " + text + " for the broker");
    }

    /** The name of a user, a path or a JMS type may come from anybody. */
    @Test
    void argumentForgesNoLine() {
        assertThat(OutboxCode.OPERATION_DONE.text("pause", List.of("eve\r\n[AUDIT]"), 1, "a\u001b[2K\u2028b"))
                .isEqualTo("OBX-0602: pause by [eve\\u000d\\u000a[AUDIT]] changed 1: a\\u001b[2K\\u2028b.");
        assertThat(OutboxCode.FINDINGS.text("default", 1, new Lines("\n  OBX-0516")))
                .hasLineCount(2);
    }

    /**
     * With one argument too few or too many, the text would lose a value, or an exception would replace the problem.
     */
    @Test
    void everyCallerHandsOverAsManyArgumentsAsTheTextNames() throws IOException {
        Pattern call = Pattern.compile("OutboxCode\\s*\\.\\s*([A-Z_]+)\\s*\\.\\s*(text|finding|exception)\\(");
        int calls = 0;
        for (Path file : sources()) {
            String source = Files.readString(file);
            Matcher found = call.matcher(source);
            while (found.find()) {
                OutboxCode problem = OutboxCode.valueOf(found.group(1));
                List<String> arguments = Calls.arguments(source, found.end());
                boolean hasCause =
                        found.group(2).equals("exception") && !arguments.isEmpty() && Calls.isFailure(arguments.get(0));
                assertThat(arguments.size() - (hasCause ? 1 : 0))
                        .as("%s in %s: %s", problem, file.getFileName(), arguments)
                        .isEqualTo(arguments(problem).length);
                calls++;
            }
        }
        assertThat(calls).isGreaterThan(40);
    }

    /** So that each code can be searched for, and linked to. */
    @ParameterizedTest
    @EnumSource
    void codeHasOneSection(OutboxCode problem) throws IOException {
        String page = Files.readString(Path.of("..", "docs", "messages.md"));

        assertThat(page.split("\n\n"))
                .filteredOn(paragraph -> paragraph.startsWith("### " + problem.code() + "\n"))
                .as("sections of docs/messages.md for %s", problem.code())
                .hasSize(1);
    }

    /** Callers catch a class, and read there which codes it has. */
    @ParameterizedTest
    @EnumSource
    void classOfTheExceptionIsTheOneThatTheDocumentationNames(OutboxCode problem) throws IOException {
        String documentation =
                Files.readString(Path.of("../outbox-api/src/main/java/dev/cdioutbox/OutboxException.java"));
        List<String> named = ROW.matcher(documentation)
                .results()
                .filter(row -> covers(row.group(2), problem.code()))
                .map(row -> row.group(1))
                .toList();

        String thrown = problem.exception(arguments(problem)).getClass().getSimpleName();
        assertThat(named).containsExactlyElementsOf(thrown.equals("OutboxException") ? List.of() : List.of(thrown));
    }

    /** Whether a list like "OBX-0105 to OBX-0109, OBX-0112" has the code. A line of the Javadoc may begin within it. */
    private static boolean covers(String codes, String code) {
        return Arrays.stream(codes.replace("*", "").split(","))
                .map(range -> range.strip().split(" to "))
                .anyMatch(range -> {
                    return range[0].compareTo(code) <= 0 && code.compareTo(range[range.length - 1]) <= 0;
                });
    }

    private static List<Path> sources() throws IOException {
        List<Path> found = new ArrayList<>();
        for (String jar :
                List.of("outbox-api", "outbox-engine", "outbox-cdi", "outbox-console", "outbox-jms", "outbox-kafka")) {
            try (Stream<Path> files = Files.walk(Path.of("..", jar, "src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(found::add);
            }
        }
        return found;
    }

    /** As many arguments as the text names; a number will do for each of them. */
    private static Object[] arguments(OutboxCode problem) {
        for (int count = 0; ; count++) {
            Object[] arguments = Collections.nCopies(count, 1).toArray();
            try {
                problem.text(arguments);
                return arguments;
            } catch (MissingFormatArgumentException tooFew) {
                // one more
            }
        }
    }
}
