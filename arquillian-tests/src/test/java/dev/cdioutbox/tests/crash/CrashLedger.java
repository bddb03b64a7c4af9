package dev.cdioutbox.tests.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import dev.cdioutbox.tests.server.WorkingCopy;

/**
 * Sums up runs, and appends them to a file of comma-separated values. {@link #PUBLISHED} has those of all campaigns: date,
 * commit, seed, and then a kind, a name and a figure.
 */
final class CrashLedger {
    static final Path PUBLISHED = Path.of("src", "test", "crash", "runs.csv");

    private final long seed;
    private final Map<Point, Integer> kills = new EnumMap<>(Point.class);
    private final Map<String, Integer> otherFaults = new TreeMap<>();
    private final List<Duration> takeOvers = new ArrayList<>();
    private final Map<Mode, Counts> counts = new EnumMap<>(Mode.class);
    private final Map<String, List<Duration>> takeOversBy = new TreeMap<>();

    CrashLedger(long seed) {
        this.seed = seed;
    }

    /** @param otherFaults the number of each fault other than a kill at a point, by name */
    void add(
            Mode mode,
            int nodes,
            Map<Point, Integer> kills,
            Map<String, Integer> otherFaults,
            List<Duration> takeOvers,
            Counts counts) {
        kills.forEach((point, times) -> this.kills.merge(point, times, Integer::sum));
        otherFaults.forEach((fault, times) -> this.otherFaults.merge(fault, times, Integer::sum));
        this.counts.merge(mode, counts, Counts::plus);
        this.takeOvers.addAll(takeOvers);
        takeOversBy
                .computeIfAbsent(
                        (mode == Mode.LEASE || mode == Mode.MARKER ? words(mode, "-") : "lock") + " with " + nodes
                                + " nodes",
                        key -> new ArrayList<>())
                .addAll(takeOvers);
    }

    int kills() {
        return kills.values().stream().mapToInt(Integer::intValue).sum();
    }

    Counts counts() {
        return counts.values().stream().reduce(Counts.none(), Counts::plus);
    }

    /** @return null if no node had to take over a partition */
    Duration medianTakeOver() {
        return median(takeOvers);
    }

    private static Duration median(List<Duration> some) {
        return some.isEmpty() ? null : some.stream().sorted().toList().get(some.size() / 2);
    }

    void append(Path file) {
        try {
            Files.write(file, lines(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> lines() {
        String run = "%s,%s,%d".formatted(LocalDate.now(ZoneOffset.UTC), WorkingCopy.commit(), seed);
        List<String> lines = new ArrayList<>();
        counts.forEach((mode, of) ->
                of.byName().forEach((name, number) -> lines.add(line(run, words(mode, "-"), name, number))));
        kills.forEach((point, times) -> lines.add(line(run, "kill", words(point, " "), times)));
        otherFaults.forEach((fault, times) -> lines.add(line(run, "other fault", fault, times)));
        takeOversBy.forEach((which, some) -> {
            if (!some.isEmpty()) {
                String kind = "take-over by " + which;
                lines.add(line(run, kind, "median seconds", seconds(median(some))));
                lines.add(line(run, kind, "worst seconds", seconds(Collections.max(some))));
                lines.add(line(run, kind, "number", some.size()));
            }
        });
        return lines;
    }

    private static String line(String run, String kind, String name, Object figure) {
        return "%s,%s,%s,%s".formatted(run, kind, name, figure);
    }

    private static String words(Enum<?> constant, String between) {
        return constant.name().toLowerCase(Locale.ROOT).replace("_", between);
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f", time.toMillis() / 1000.0);
    }
}
