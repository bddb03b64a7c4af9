package dev.cdioutbox.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guards that docs/evidence.md has the sums of the published runs. */
class CrashLedgerTest {
    @TempDir
    Path folder;

    /** If a run is new, this test fails and names the lines that the page needs. */
    @Test
    void pageHasTheSumsOfThePublishedRuns() throws IOException {
        List<Line> lines = lines(CrashLedger.PUBLISHED);
        Line last = lines.get(lines.size() - 1);
        List<String> expected = new ArrayList<>();
        expected.add("%,d campaigns with %,d kills and %,d other faults; the last on %s, commit %s"
                .formatted(
                        lines.stream().map(Line::seed).distinct().count(),
                        sum(lines, line -> line.kind().equals("kill")),
                        sum(lines, line -> line.kind().equals("other fault")),
                        last.date(),
                        last.commit()));
        for (Mode mode : Mode.values()) {
            String name = mode.name().toLowerCase(Locale.ROOT).replace('_', '-');
            if (lines.stream().noneMatch(line -> line.kind().equals(name))) {
                // Nothing is published of it yet.
                continue;
            }
            expected.add("| %s | %s |"
                    .formatted(
                            name,
                            Counts.none().byName().keySet().stream()
                                    .map(count -> "%,d"
                                            .formatted(sum(
                                                    lines,
                                                    line -> line.kind().equals(name)
                                                            && line.name().equals(count))))
                                    .collect(Collectors.joining(" | "))));
        }

        String page = Files.readString(Path.of("..", "docs", "evidence.md")).replaceAll("\\s+", " ");
        assertThat(page).contains(expected);
    }

    @Test
    void campaignAppendsItsSums() throws IOException {
        Path file = folder.resolve("runs.csv");
        CrashLedger ledger = new CrashLedger(7);
        Counts counts = new Counts(100, 0, 0, 2, 0, 0, 0, List.of());
        List<Duration> takeOvers = List.of(Duration.ofMillis(1500), Duration.ofMillis(200), Duration.ofMillis(900));
        ledger.add(Mode.AT_LEAST_ONCE, 2, Map.of(Point.MID_SEND, 2), Map.of("broker killed", 1), takeOvers, counts);
        ledger.add(Mode.AT_LEAST_ONCE, 3, Map.of(Point.MID_SEND, 1), Map.of(), List.of(), counts);
        ledger.append(file);
        ledger.append(file);

        List<String> lines = Files.readAllLines(file);

        assertThat(lines).hasSize(22).allMatch(line -> line.matches("[\\d-]{10},[^,]+,7,[^,]+,[^,]+,[\\d.]+"));
        assertThat(lines.subList(0, 11))
                .extracting(line -> line.replaceFirst(".*,7,", ""))
                .containsExactly(
                        "at-least-once,messages,200",
                        "at-least-once,lost,0",
                        "at-least-once,ghosts,0",
                        "at-least-once,copies beyond one,4",
                        "at-least-once,too many copies,0",
                        "at-least-once,out of order,0",
                        "kill,mid send,3",
                        "other fault,broker killed,1",
                        "take-over by lock with 2 nodes,median seconds,0.9",
                        "take-over by lock with 2 nodes,worst seconds,1.5",
                        "take-over by lock with 2 nodes,number,3");
    }

    private static int sum(List<Line> lines, Predicate<Line> which) {
        return lines.stream()
                .filter(which)
                .mapToInt(line -> Integer.parseInt(line.figure()))
                .sum();
    }

    private static List<Line> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .skip(1)
                .map(line -> line.split(","))
                .map(cells -> new Line(cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]))
                .toList();
    }

    private record Line(String date, String commit, String seed, String kind, String name, String figure) {}
}
