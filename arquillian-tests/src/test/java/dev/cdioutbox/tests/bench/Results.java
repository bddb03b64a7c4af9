package dev.cdioutbox.tests.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A file of comma-separated values with what was measured: a line for each comparison. {@link #PUBLISHED} has the runs of
 * all days; a run of the benchmark appends its lines to a file in {@code target/bench}, without the line of headings.
 */
final class Results {
    static final Path PUBLISHED = Path.of("src", "test", "bench", "results.csv");

    /** The headings of the columns, in their order. */
    static final List<String> HEADINGS = List.of(
            "date",
            "commit",
            "form",
            "broker",
            "row",
            "measured",
            "over",
            "unit",
            "figure",
            "low",
            "high",
            "floor",
            "goal",
            "better",
            "pairs",
            "conditions");

    private static final MathContext DIGITS = new MathContext(4);

    private Results() {}

    /** Appends the lines of a row. The first of them has the conditions. */
    static void append(Path file, Messaging broker, Result result) {
        List<String> lines = new ArrayList<>();
        result.comparisons().forEach(comparison -> lines.add(line(broker, result, comparison, lines.isEmpty())));
        try {
            Files.createDirectories(file.getParent());
            Files.write(file, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String line(Messaging broker, Result result, Result.Comparison comparison, boolean first) {
        Target target = comparison.target();
        Map<String, String> conditions = new TreeMap<>(result.conditions());
        conditions.remove(Result.COMMIT);
        return List.of(
                        result.date(),
                        result.commit(),
                        result.form(),
                        broker.suffix(),
                        result.row().name(),
                        comparison.what(),
                        comparison.over(),
                        comparison.unit(),
                        number(comparison.ratio().median()),
                        number(comparison.ratio().low()),
                        number(comparison.ratio().high()),
                        target == null ? "" : number(target.floor()),
                        target == null ? "" : number(target.goal()),
                        target == null ? "" : target.atMost() ? "lower" : "higher",
                        comparison.pairs().stream()
                                .map(pair -> number(pair.ours()) + "/" + number(pair.other()))
                                .collect(Collectors.joining(" ")),
                        first
                                ? conditions.entrySet().stream()
                                        .map(condition -> condition.getKey() + ": " + condition.getValue())
                                        .collect(Collectors.joining("; "))
                                : "")
                .stream()
                .map(Results::quoted)
                .collect(Collectors.joining(","));
    }

    /** Returns the last result of each row in a file, for each broker. */
    static Map<Messaging, Map<Row, Result>> latest(Path file) {
        Map<Messaging, Map<Row, Result>> latest = new EnumMap<>(Messaging.class);
        for (Messaging broker : Messaging.values()) {
            latest.put(broker, new EnumMap<>(Row.class));
        }
        for (Map<String, String> line : lines(file)) {
            Row row = Row.valueOf(line.get("row"));
            Map<Row, Result> results =
                    latest.get(Messaging.valueOf(line.get("broker").toUpperCase(Locale.ROOT)));
            Result result = results.get(row);
            if (result == null || !result.date().equals(line.get("date"))) {
                result = new Result(row, line.get("form"), line.get("date")).note(Result.COMMIT, line.get("commit"));
                results.put(row, result);
            }
            result.add(comparison(line)).note(conditions(line.get("conditions")));
        }
        return latest;
    }

    private static Result.Comparison comparison(Map<String, String> line) {
        List<Pairs.Pair> pairs = new ArrayList<>();
        for (String pair : split(line.get("pairs"), " ")) {
            List<String> figures = split(pair, "/");
            pairs.add(new Pairs.Pair(Double.parseDouble(figures.get(0)), Double.parseDouble(figures.get(1))));
        }
        return new Result.Comparison(
                line.get("measured"),
                line.get("over"),
                line.get("unit"),
                pairs,
                new Interval(number(line, "figure"), number(line, "low"), number(line, "high")),
                line.get("better").isEmpty()
                        ? null
                        : new Target(
                                number(line, "floor"),
                                number(line, "goal"),
                                line.get("better").equals("lower")));
    }

    private static Map<String, String> conditions(String text) {
        Map<String, String> conditions = new TreeMap<>();
        for (String condition : split(text, "; ")) {
            int colon = condition.indexOf(": ");
            conditions.put(condition.substring(0, colon), condition.substring(colon + 2));
        }
        return conditions;
    }

    private static List<String> split(String text, String by) {
        return text.isEmpty() ? List.of() : List.of(text.split(by));
    }

    private static double number(Map<String, String> line, String column) {
        return Double.parseDouble(line.get(column));
    }

    private static String number(double value) {
        return new BigDecimal(value).round(DIGITS).toPlainString();
    }

    private static List<Map<String, String>> lines(Path file) {
        List<Map<String, String>> lines = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(file)) {
                List<String> cells = cells(line);
                if (!cells.equals(HEADINGS)) {
                    Map<String, String> cellOf = new TreeMap<>();
                    for (int i = 0; i < HEADINGS.size(); i++) {
                        cellOf.put(HEADINGS.get(i), cells.get(i));
                    }
                    lines.add(cellOf);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lines;
    }

    private static String quoted(String cell) {
        return cell.matches("[^,\"]*") ? cell : '"' + cell.replace("\"", "\"\"") + '"';
    }

    /** A quote within a quoted cell is doubled, so it ends the quotes and begins them again. */
    private static List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        StringBuilder cell = new StringBuilder();
        boolean quotes = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                quotes = !quotes;
                if (quotes && i > 0 && line.charAt(i - 1) == '"') {
                    cell.append(c);
                }
            } else if (c == ',' && !quotes) {
                cells.add(cell.toString());
                cell.setLength(0);
            } else {
                cell.append(c);
            }
        }
        cells.add(cell.toString());
        return Collections.unmodifiableList(cells);
    }
}
