package dev.cdioutbox.tests.bench;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What was measured for one row, and under which conditions. {@link #write} adds it to the results of this build. */
final class Result {
    static final String COMMIT = "commit";

    private final Row row;
    private final String form;
    private final String date;
    private final List<Comparison> comparisons = new ArrayList<>();
    private final Map<String, String> conditions = new TreeMap<>();

    /**
     * One line of the row.
     *
     * @param what the measured thing
     * @param over the thing that it is compared with; empty for a count
     * @param unit the unit of the figures of the pairs, or of the count
     * @param pairs empty for a count
     * @param ratio the ratio, or the count
     * @param target null if the line is only reported
     */
    record Comparison(String what, String over, String unit, List<Pairs.Pair> pairs, Interval ratio, Target target) {
        String verdict() {
            return target == null ? "reported" : target.verdict(ratio.median());
        }
    }

    Result(Row row, Form form) {
        this(row, form.name(), Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    }

    Result(Row row, String form, String date) {
        this.row = row;
        this.form = form;
        this.date = date;
    }

    /** Adds a comparison that the row's target judges. */
    Result add(String what, String over, String unit, Pairs pairs) {
        return add(what, over, unit, pairs, row.target());
    }

    /**
     * Adds a comparison.
     *
     * @param target null if the comparison is only reported
     */
    Result add(String what, String over, String unit, Pairs pairs, Target target) {
        return printed(new Comparison(what, over, unit, pairs.pairs(), pairs.ratio(), target));
    }

    /**
     * Adds a figure that is compared with nothing.
     *
     * @param target null if the figure is only reported
     */
    Result add(String what, String unit, Interval figure, Target target) {
        return printed(new Comparison(what, "", unit, List.of(), figure, target));
    }

    Result add(Comparison comparison) {
        comparisons.add(comparison);
        return this;
    }

    private Result printed(Comparison comparison) {
        System.out.println(String.format(
                Locale.ROOT,
                "[bench] %s %s%s: %.3f [%.3f, %.3f], %s",
                row,
                comparison.what(),
                comparison.over().isEmpty() ? " (" + comparison.unit() + ")" : " over " + comparison.over(),
                comparison.ratio().median(),
                comparison.ratio().low(),
                comparison.ratio().high(),
                comparison.verdict()));
        return add(comparison);
    }

    /** Notes a setting, a version or a check with its outcome. */
    Result note(String name, Object value) {
        conditions.put(name, String.valueOf(value));
        return this;
    }

    Result note(Map<String, String> some) {
        conditions.putAll(some);
        return this;
    }

    Row row() {
        return row;
    }

    String form() {
        return form;
    }

    String date() {
        return date;
    }

    List<Comparison> comparisons() {
        return List.copyOf(comparisons);
    }

    /** Returns the commit that was measured. */
    String commit() {
        return conditions.getOrDefault(COMMIT, "unknown");
    }

    /** Returns the settings, versions and checks by their names. */
    Map<String, String> conditions() {
        return conditions;
    }

    /** Writes the result of a row without a broker, with the properties of the machine. */
    void write() {
        write(Messaging.LIBERTY);
    }

    /** Writes the result with this broker, with the properties of the machine. */
    void write(Messaging broker) {
        note(Machine.conditions()).note("load of the machine at the end", Machine.load());
        Results.append(folder().resolve("results.csv"), broker, this);
    }

    static Path folder() {
        return Path.of(System.getProperty("test.target"), "bench");
    }
}
