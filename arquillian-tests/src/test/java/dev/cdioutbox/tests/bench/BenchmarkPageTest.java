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
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path WRITTEN = Path.of("target", "bench");

    @TempDir
    Path folder;

    /** If a result is new, this test fails, and writes the page and the chart anew: copy them to docs. */
    @Test
    void pageAndChartShowTheLastPublishedResultOfEachRow() throws IOException {
        Map<Messaging, Map<Row, Result>> results = Results.latest(Results.PUBLISHED);
        Path page = DOCS.resolve("benchmark.md");
        Path chart = DOCS.resolve("pictures").resolve("performance.svg");
        String newPage = new BenchmarkPage(results).into(Files.readString(page));
        String newChart = new Chart(results).svg();

        Files.createDirectories(WRITTEN);
        Files.writeString(WRITTEN.resolve("benchmark.md"), newPage);
        Files.writeString(WRITTEN.resolve("performance.svg"), newChart);
        assertThat(Files.readString(page).equals(newPage))
                .as("%s shows the results; copy it from %s", page, WRITTEN.toAbsolutePath())
                .isTrue();
        assertThat(Files.readString(chart).equals(newChart))
                .as("%s shows the results; copy it from %s", chart, WRITTEN.toAbsolutePath())
                .isTrue();
    }

    @Test
    void pagesForUsersHaveTheFiguresOfTheLastPublishedResults() throws IOException {
        PublishedFigures figures = new PublishedFigures(Results.latest(Results.PUBLISHED));
        List<String> outdated = new ArrayList<>();
        Files.createDirectories(WRITTEN);
        for (String name : List.of("performance.md", "before-you-adopt.md")) {
            String page = Files.readString(DOCS.resolve(name));
            String newPage = figures.into(page);
            Files.writeString(WRITTEN.resolve(name), newPage);
            if (!newPage.equals(page)) {
                outdated.add(name);
            }
        }
        assertThat(outdated)
                .as("copy them from %s to docs", WRITTEN.toAbsolutePath())
                .isEmpty();
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
                .contains("R4 dispatch: 0.40 (≥ 0.70)")
                .contains("R3 (business transactions with the outbox, over a direct XA send) not measured");
        assertThat(text.substring(text.indexOf("- PostgreSQL and ActiveMQ")))
                .contains("R15 (time to catch up")
                .doesNotContain("R1 ", "R4 ");
        assertThat(page.into(text)).isEqualTo(text);
    }

    private static Result.Comparison ratio(String what, double ratio) {
        List<Pairs.Pair> pairs = List.of(new Pairs.Pair(ratio * 1000, 1000));
        return new Result.Comparison(
                what, "a raw loop", "messages/s", pairs, Interval.of(ratio), Target.atLeast(.70, .85));
    }
}
