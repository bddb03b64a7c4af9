package dev.cdioutbox.tests.bench;

import java.util.Locale;
import java.util.Map;

/**
 * The tables of docs/performance.md: for each broker, the comparisons that miss their floor. The chart and the file of the
 * results have the others.
 */
final class PerformancePage {
    static final String BEGIN = "<!-- Made of arquillian-tests/src/test/bench/results.csv, from here -->";
    static final String END = "<!-- to here. -->";

    private final Map<Messaging, Map<Row, Result>> results;

    PerformancePage(Map<Messaging, Map<Row, Result>> results) {
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
        results.forEach((broker, rows) -> {
            text.append("### PostgreSQL and %s\n\n".formatted(broker.title()));
            text.append("| below its floor | measured | over | figure, 95 % interval | floor, goal |\n");
            text.append("|---|---|---|---|---|\n");
            broker.rows().stream()
                    .filter(row -> row.target() != null)
                    .forEach(row -> text.append(lines(row, rows.get(row))));
            text.append('\n');
        });
        return text.toString();
    }

    private static String lines(Row row, Result result) {
        if (result == null) {
            return "| %s | %s | | not measured | %s |\n".formatted(row, row.title(), limits(row.target()));
        }
        StringBuilder lines = new StringBuilder();
        result.comparisons().stream()
                .filter(comparison -> comparison.verdict().equals("below the floor"))
                .forEach(comparison -> lines.append("| %s | %s | %s | %s | %s |\n"
                        .formatted(
                                row,
                                comparison.what(),
                                comparison.over(),
                                figure(comparison),
                                limits(comparison.target()))));
        return lines.toString();
    }

    private static String figure(Result.Comparison comparison) {
        Interval ratio = comparison.ratio();
        String median = number(ratio.median()) + (comparison.over().isEmpty() ? " " + comparison.unit() : "");
        return "%s, %s–%s".formatted(median, number(ratio.low()), number(ratio.high()));
    }

    private static String limits(Target target) {
        String sign = target.atMost() ? "≤ " : "≥ ";
        return sign + number(target.floor()) + ", " + number(target.goal());
    }

    /** Three digits or so, as people write them. */
    static String number(double value) {
        double size = Math.abs(value);
        return String.format(Locale.ROOT, size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f", value);
    }
}
