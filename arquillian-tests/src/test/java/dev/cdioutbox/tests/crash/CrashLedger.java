package dev.cdioutbox.tests.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.cdioutbox.tests.server.WorkingCopy;

/** Sums up runs, and writes them as an entry of docs/crash-ledger.md. */
final class CrashLedger {
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
    void add(Mode mode, int nodes, CrashRun run, Counts counts, Map<String, Integer> otherFaults) {
        run.kills().forEach((point, times) -> kills.merge(point, times, Integer::sum));
        otherFaults.forEach((fault, times) -> this.otherFaults.merge(fault, times, Integer::sum));
        this.counts.merge(mode, counts, Counts::plus);
        takeOvers.addAll(run.takeOvers());
        takeOversBy
                .computeIfAbsent(
                        (mode == Mode.LEASE ? "lease" : "lock") + ", " + nodes + " nodes", key -> new ArrayList<>())
                .addAll(run.takeOvers());
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

    /** Appends the entry to a file. */
    void append(Path file) {
        try {
            Files.writeString(
                    file, entry(), StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String entry() {
        StringBuilder entry = new StringBuilder("\n## Commit %s, seed %d%n%n".formatted(WorkingCopy.commit(), seed));
        entry.append("| mode | messages | lost | ghosts | copies beyond one | too many copies | out of order |%n"
                .formatted());
        entry.append("|---|---|---|---|---|---|---|%n".formatted());
        counts.forEach((mode, of) -> entry.append("| %s | %d | %d | %d | %d | %d | %d |%n"
                .formatted(
                        mode.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                        of.messages(),
                        of.lost(),
                        of.ghosts(),
                        of.twice(),
                        of.tooOften(),
                        of.outOfOrder())));
        entry.append("%nKills: %d, %s.%n".formatted(kills(), list(kills)));
        if (!otherFaults.isEmpty()) {
            entry.append("%nOther faults: %s.%n".formatted(list(otherFaults)));
        }
        takeOversBy.forEach((which, some) -> {
            if (!some.isEmpty()) {
                entry.append("%nTake-over, %s: median %s, worst %s, of %d.%n"
                        .formatted(
                                which,
                                seconds(median(some)),
                                seconds(some.stream().max(Duration::compareTo).orElseThrow()),
                                some.size()));
            }
        });
        return entry.toString();
    }

    private static String list(Map<?, Integer> numbers) {
        return numbers.entrySet().stream()
                .map(entry ->
                        entry.getKey().toString().toLowerCase(Locale.ROOT).replace('_', ' ') + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
    }
}
