package dev.cdioutbox.tests.bench;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The tables in docs/benchmark.md: what each row compares and, for each broker, the comparisons that miss their limit. The chart and
 * the file of the results have the others.
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
        StringBuilder text = new StringBuilder("""
                ### The rows

                | row | what is measured | better |
                |---|---|---|
                """);
        for (Row row : Row.values()) {
            text.append("| %s | %s | %s |\n".formatted(row, row.title(), better(row.target())));
        }
        text.append("""

                ### The results that miss their limit

                | PostgreSQL and | row | measurement | result | limit |
                |---|---|---|---|---|
                """);
        results.forEach((broker, rows) -> broker.rows().stream()
                .filter(row -> row.target() != null)
                .flatMap(row -> misses(row, rows.get(row)))
                .forEach(miss -> text.append("| %s | %s |\n".formatted(broker.title(), miss))));
        return text.append('\n').toString();
    }

    private static String better(Target target) {
        return target == null ? "" : target.atMost() ? "lower" : "higher";
    }

    private static Stream<String> misses(Row row, Result result) {
        return result == null
                ? Stream.of("%s | not measured | | %s".formatted(row, limit(row.target())))
                : result.comparisons().stream()
                        .filter(comparison -> comparison.verdict().equals("below the floor"))
                        .map(comparison -> "%s | %s | %s | %s"
                                .formatted(
                                        row,
                                        measurement(comparison),
                                        number(comparison.ratio().median()),
                                        limit(comparison.target())));
    }

    private static String measurement(Result.Comparison comparison) {
        return comparison.over().isEmpty()
                ? comparison.what()
                : comparison.what() + ", compared with: " + comparison.over();
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
