package dev.cdioutbox.tests.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guards that the page on the benchmark shows the published results, and that a result survives its file. */
class BenchmarkPageTest {
    private static final Path ROOT = Path.of("..");
    private static final Path WRITTEN = Path.of("target", "bench", "pages");

    @TempDir
    Path folder;

    /** If a result is new, this test fails, and writes the files anew, to be copied over the old ones. */
    @Test
    void pagesAndChartShowTheLastPublishedResultOfEachRow() throws IOException {
        Map<Messaging, Map<Row, Result>> results = Results.latest(Results.PUBLISHED);
        Map<String, String> expected = new TreeMap<>();
        expected.put("docs/benchmark.md", new BenchmarkPage(results).into(page("docs/benchmark.md")));
        expected.put("docs/pictures/performance.svg", new Chart(results).svg());
        for (String forUsers : List.of("README.md", "docs/performance.md", "docs/before-you-adopt.md")) {
            expected.put(forUsers, new PublishedFigures(results).into(page(forUsers)));
        }

        List<String> outdated = new ArrayList<>();
        for (Map.Entry<String, String> file : expected.entrySet()) {
            Path written = WRITTEN.resolve(file.getKey());
            Files.createDirectories(written.getParent());
            Files.writeString(written, file.getValue());
            if (!page(file.getKey()).equals(file.getValue())) {
                outdated.add(file.getKey());
            }
        }
        assertThat(outdated).as("copy them from %s", WRITTEN.toAbsolutePath()).isEmpty();
    }

    private static String page(String name) throws IOException {
        return Files.readString(ROOT.resolve(name));
    }

    @Test
    void lastResultOfARowIsRead() {
        Path file = folder.resolve("results.csv");
        Result earlier = new Result(Row.R4, "short", "2026-11-26T10:00:00Z").add(ratio("dispatch", .5));
        Result later = new Result(Row.R4, "short", "2026-11-27T10:00:00Z")
                .add(ratio("dispatch, \"raw\"", .9))
                .add("statements", "1/s", Interval.of(7.4), null)
                .note(Result.COMMIT, "1a2b3c4d")
                .note("broker", "ActiveMQ, which syncs")
                .note("payload", "1 KiB");
        Results.append(file, Messaging.LIBERTY, earlier);
        Results.append(file, Messaging.ACTIVEMQ, earlier);
        Results.append(file, Messaging.LIBERTY, later);

        Map<Messaging, Map<Row, Result>> read = Results.latest(file);

        assertThat(read.get(Messaging.ACTIVEMQ)).containsOnlyKeys(Row.R4);
        Result last = read.get(Messaging.LIBERTY).get(Row.R4);
        assertThat(last.comparisons()).isEqualTo(later.comparisons());
        assertThat(last.comparisons()).extracting(Result.Comparison::verdict).containsExactly("goal", "reported");
        assertThat(last.conditions()).isEqualTo(later.conditions());
        assertThat(last.date()).isEqualTo(later.date());
    }

    @Test
    void pageShowsWhatMissesItsFloorOrIsNotMeasuredForEachBroker() {
        Result result = new Result(Row.R4, "short", "2026-11-27T10:00:00Z")
                .add(ratio("dispatch", .4))
                .note(Result.COMMIT, "1a2b3c4d");
        Result other = new Result(Row.R4, "short", "2026-11-26T10:00:00Z").add(ratio("dispatch", .9));
        BenchmarkPage page = new BenchmarkPage(new TreeMap<>(
                Map.of(Messaging.LIBERTY, Map.of(Row.R4, result), Messaging.ACTIVEMQ, Map.of(Row.R4, other))));

        String text =
                page.into("Before.\n" + BenchmarkPage.BEGIN + "\nstale text\n" + BenchmarkPage.END + "\nAfter.\n");

        assertThat(text)
                .startsWith("Before.\n")
                .endsWith(BenchmarkPage.END + "\nAfter.\n")
                .doesNotContain("stale text")
                .contains("| R4 | " + Row.R4.title() + " | higher |")
                .contains("| Liberty's own messaging | R4 | dispatch, compared with: a raw loop | 0.40 | ≥ 0.70 |")
                .contains("| Liberty's own messaging | R3 | not measured | | ≥ 1.30 |")
                .contains("| ActiveMQ | R15 | not measured |")
                .doesNotContain("| ActiveMQ | R1 |", "| ActiveMQ | R4 |");
        assertThat(page.into(text)).isEqualTo(text);
    }

    private static Result.Comparison ratio(String what, double ratio) {
        List<Pairs.Pair> pairs = List.of(new Pairs.Pair(ratio * 1000, 1000));
        return new Result.Comparison(
                what, "a raw loop", "messages/s", pairs, Interval.of(ratio), Target.atLeast(.70, .85));
    }
}
