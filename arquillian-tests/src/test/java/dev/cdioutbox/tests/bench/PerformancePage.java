package dev.cdioutbox.tests.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Writes docs/performance.md anew, with the results of all rows between its two markers, and the chart. The files are in
 * {@code target/bench}; see "Benchmark" in CONTRIBUTING.md. Each broker has a table of its own.
 */
final class PerformancePage {
    static final String BEGIN = "<!-- The build writes from here (mvn verify -Pbench) -->";
    static final String END = "<!-- to here. -->";

    private final List<Part> parts;

    PerformancePage(Map<Messaging, Map<Row, Result>> results) {
        parts = results.entrySet().stream()
                .map(entry -> new Part(entry.getKey(), entry.getValue(), common(entry.getValue())))
                .toList();
    }

    /**
     * The rows with one broker.
     *
     * @param common the conditions that several results name, all with one value
     */
    private record Part(Messaging broker, Map<Row, Result> results, Map<String, String> common) {}

    private static Map<String, String> common(Map<Row, Result> results) {
        Map<String, List<String>> values = new TreeMap<>();
        results.values().forEach(result -> result.conditions()
                .forEach((name, value) ->
                        values.computeIfAbsent(name, n -> new ArrayList<>()).add(value)));
        Map<String, String> common = new TreeMap<>();
        values.forEach((name, all) -> {
            if (all.size() > 1 && all.stream().distinct().count() == 1) {
                common.put(name, all.get(0));
            }
        });
        return common;
    }

    /** Writes the page and the chart from the results in {@code target/bench}. The chart shows Liberty's messaging. */
    static void write() {
        Map<Messaging, Map<Row, Result>> results = new EnumMap<>(Messaging.class);
        for (Messaging broker : Messaging.values()) {
            results.put(broker, Result.readAll(broker));
        }
        PerformancePage page = new PerformancePage(results);
        try {
            String before = Files.readString(Path.of(System.getProperty("project.root"), "docs", "performance.md"));
            Path folder = Files.createDirectories(Result.folder());
            Files.writeString(folder.resolve("performance.md"), page.into(before));
            Files.writeString(folder.resolve("performance.svg"), new Chart(results.get(Messaging.LIBERTY)).svg());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Replaces the part between the markers. */
    String into(String page) {
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("the page has no markers: " + BEGIN + " and " + END);
        }
        return page.substring(0, begin + BEGIN.length()) + "\n\n" + text() + page.substring(end);
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        parts.forEach(part -> text.append(
                        "### PostgreSQL and %s\n\n".formatted(part.broker().title()))
                .append(table(part)));
        parts.forEach(part -> text.append(
                        "### Conditions with %s\n\n".formatted(part.broker().title()))
                .append(conditions(part)));
        parts.forEach(part -> text.append(
                        "### Every pair with %s\n\n".formatted(part.broker().title()))
                .append(pairs(part)));
        return text.toString();
    }

    private static String table(Part part) {
        StringBuilder text = new StringBuilder();
        text.append("**Below the floor:** %s.\n\n".formatted(belowTheFloor(part)));
        text.append("| row | measured | over | ratio or figure | 95 % interval | floor | goal | verdict |\n");
        text.append("|---|---|---|---|---|---|---|---|\n");
        for (Row row : part.broker().rows()) {
            Result result = part.results().get(row);
            if (result == null) {
                text.append(
                        "| %s | %s | | **not measured** | | %s |\n".formatted(row, row.title(), limits(row.target())));
            } else {
                result.comparisons().forEach(comparison -> text.append(line(row, comparison)));
            }
        }
        return text.append('\n').toString();
    }

    private static String conditions(Part part) {
        StringBuilder text = new StringBuilder("| | |\n|---|---|\n");
        part.common().forEach((name, value) -> text.append("| %s | %s |\n".formatted(name, value)));
        text.append("\nEach row also has its own:\n\n");
        text.append("| row | form | date (UTC) | conditions |\n|---|---|---|---|\n");
        part.results()
                .forEach((row, result) -> text.append(
                        "| %s | %s | %s | %s |\n".formatted(row, result.form(), result.date(), own(part, result))));
        return text.append('\n').toString();
    }

    private static String pairs(Part part) {
        StringBuilder text = new StringBuilder("Each pair is the outbox's figure / the other's.\n\n");
        text.append("| row | measured | unit | pairs |\n|---|---|---|---|\n");
        part.results().forEach((row, result) -> result.comparisons().stream()
                .filter(comparison -> !comparison.pairs().isEmpty())
                .forEach(comparison -> text.append("| %s | %s | %s | %s |\n"
                        .formatted(row, titled(comparison), comparison.unit(), pairs(comparison)))));
        return text.append('\n').toString();
    }

    private static String belowTheFloor(Part part) {
        String rows = part.results().entrySet().stream()
                .flatMap(entry -> entry.getValue().comparisons().stream()
                        .filter(comparison -> comparison.verdict().equals("below the floor"))
                        .map(comparison -> entry.getKey() + " " + titled(comparison)))
                .collect(Collectors.joining("; "));
        return rows.isEmpty() ? "none" : rows;
    }

    private static String line(Row row, Result.Comparison comparison) {
        Interval ratio = comparison.ratio();
        return "| %s | %s | %s | %s | %s to %s | %s | %s |\n"
                .formatted(
                        row,
                        comparison.what(),
                        comparison.over(),
                        comparison.over().isEmpty()
                                ? "%s %s".formatted(number(ratio.median()), comparison.unit())
                                : "**%s**".formatted(number(ratio.median())),
                        number(ratio.low()),
                        number(ratio.high()),
                        limits(comparison.target()),
                        comparison.verdict());
    }

    private static String limits(Target target) {
        if (target == null) {
            return " | ";
        }
        String sign = target.atMost() ? "≤ " : "≥ ";
        return sign + number(target.floor()) + " | " + sign + number(target.goal());
    }

    private static String own(Part part, Result result) {
        return result.conditions().entrySet().stream()
                .filter(entry -> !part.common().containsKey(entry.getKey()))
                .map(entry -> entry.getKey() + ": " + entry.getValue())
                .collect(Collectors.joining("; "));
    }

    private static String titled(Result.Comparison comparison) {
        return comparison.what() + (comparison.over().isEmpty() ? "" : ", over " + comparison.over());
    }

    private static String pairs(Result.Comparison comparison) {
        List<String> all = new ArrayList<>();
        comparison.pairs().forEach(pair -> all.add(number(pair.ours()) + " / " + number(pair.other())));
        return String.join(", ", all);
    }

    /** Three digits or so, as people write them. */
    static String number(double value) {
        double size = Math.abs(value);
        return String.format(Locale.ROOT, size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f", value);
    }
}
