package dev.cdioutbox.tests.bench;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The lists in docs/benchmark.md: for each broker, the comparisons that miss their floor. The chart and the file of the
 * results have the others.
 */
final class BenchmarkPage {
    static final String BEGIN = "<!-- Made of arquillian-tests/src/test/bench/results.csv, from here -->";
    static final String END = "<!-- to here. -->";

    private final Map<Messaging, Map<Row, Result>> results;

    BenchmarkPage(Map<Messaging, Map<Row, Result>> results) {
        this.results = results;
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
        results.forEach((broker, rows) -> text.append("- PostgreSQL and %s: %s.\n"
                .formatted(
                        broker.title(),
                        broker.rows().stream()
                                .filter(row -> row.target() != null)
                                .flatMap(row -> misses(row, rows.get(row)))
                                .collect(Collectors.joining("; ")))));
        return text.append('\n').toString();
    }

    private static Stream<String> misses(Row row, Result result) {
        return result == null
                ? Stream.of("%s (%s) not measured".formatted(row, row.title()))
                : result.comparisons().stream()
                        .filter(comparison -> comparison.verdict().equals("below the floor"))
                        .map(comparison -> "%s %s: %s (%s)"
                                .formatted(
                                        row,
                                        comparison.what(),
                                        number(comparison.ratio().median()),
                                        limit(comparison.target())));
    }

    static String goal(Target target) {
        return bound(target, target.goal());
    }

    static String limit(Target target) {
        return bound(target, target.floor());
    }

    private static String bound(Target target, double value) {
        return (target.atMost() ? "≤ " : "≥ ") + number(value);
    }

    /** Three digits or so, as people write them. */
    static String number(double value) {
        double size = Math.abs(value);
        return String.format(Locale.ROOT, size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f", value);
    }
}
