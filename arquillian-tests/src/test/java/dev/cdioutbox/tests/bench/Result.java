package dev.cdioutbox.tests.bench;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import jakarta.json.JsonWriter;
import jakarta.json.JsonWriterFactory;
import jakarta.json.stream.JsonGenerator;

/**
 * What was measured for one row, and under which conditions. {@link #write} stores it as {@code target/bench/<row>.json},
 * or {@code <row>-activemq.json} with that broker, and replaces the row's earlier result.
 */
final class Result {
    private static final JsonWriterFactory PRETTY =
            Json.createWriterFactory(Map.of(JsonGenerator.PRETTY_PRINTING, true));

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

    private Result(Row row, String form, String date) {
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
        return add(new Comparison(what, over, unit, pairs.pairs(), pairs.ratio(), target));
    }

    /**
     * Adds a figure that is compared with nothing.
     *
     * @param target null if the figure is only reported
     */
    Result add(String what, String unit, Interval figure, Target target) {
        return add(new Comparison(what, "", unit, List.of(), figure, target));
    }

    private Result add(Comparison comparison) {
        comparisons.add(comparison);
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
        return this;
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

    /** Returns the settings, versions and checks by their names. */
    Map<String, String> conditions() {
        return conditions;
    }

    /** Writes the file of a row without a broker, with the properties of the machine. */
    void write() {
        write(Messaging.LIBERTY);
    }

    /** Writes the file of the row with this broker, with the properties of the machine. */
    void write(Messaging broker) {
        note(Machine.conditions()).note("load of the machine at the end", Machine.load());
        try {
            Path folder = Files.createDirectories(folder());
            try (Writer file = Files.newBufferedWriter(folder.resolve(broker.file(row)));
                    JsonWriter json = PRETTY.createWriter(file)) {
                json.write(toJson());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the files of all rows that were measured with this broker since the last clean build. */
    static Map<Row, Result> readAll(Messaging broker) {
        Map<Row, Result> results = new EnumMap<>(Row.class);
        for (Row row : Row.values()) {
            Path file = folder().resolve(broker.file(row));
            if (Files.exists(file)) {
                try (Reader text = Files.newBufferedReader(file);
                        JsonReader json = Json.createReader(text)) {
                    results.put(row, fromJson(json.readObject()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        return results;
    }

    static Path folder() {
        return Path.of(System.getProperty("test.target"), "bench");
    }

    JsonObject toJson() {
        JsonArrayBuilder all = Json.createArrayBuilder();
        for (Comparison comparison : comparisons) {
            JsonObjectBuilder one = Json.createObjectBuilder()
                    .add("what", comparison.what())
                    .add("over", comparison.over())
                    .add("unit", comparison.unit())
                    .add("ratio", comparison.ratio().median())
                    .add("low", comparison.ratio().low())
                    .add("high", comparison.ratio().high());
            if (comparison.target() != null) {
                one.add("floor", comparison.target().floor())
                        .add("goal", comparison.target().goal())
                        .add("atMost", comparison.target().atMost());
            }
            JsonArrayBuilder pairs = Json.createArrayBuilder();
            comparison
                    .pairs()
                    .forEach(pair ->
                            pairs.add(Json.createArrayBuilder().add(pair.ours()).add(pair.other())));
            all.add(one.add("verdict", comparison.verdict()).add("pairs", pairs));
        }
        JsonObjectBuilder noted = Json.createObjectBuilder();
        conditions.forEach(noted::add);
        return Json.createObjectBuilder()
                .add("row", row.name())
                .add("title", row.title())
                .add("form", form)
                .add("date", date)
                .add("comparisons", all)
                .add("conditions", noted)
                .build();
    }

    static Result fromJson(JsonObject json) {
        Result result = new Result(Row.valueOf(json.getString("row")), json.getString("form"), json.getString("date"));
        for (JsonObject one : json.getJsonArray("comparisons").getValuesAs(JsonObject.class)) {
            List<Pairs.Pair> pairs = one.getJsonArray("pairs").stream()
                    .map(JsonValue::asJsonArray)
                    .map(pair -> new Pairs.Pair(
                            pair.getJsonNumber(0).doubleValue(),
                            pair.getJsonNumber(1).doubleValue()))
                    .toList();
            result.comparisons.add(new Comparison(
                    one.getString("what"),
                    one.getString("over"),
                    one.getString("unit"),
                    pairs,
                    new Interval(number(one, "ratio"), number(one, "low"), number(one, "high")),
                    one.containsKey("floor")
                            ? new Target(number(one, "floor"), number(one, "goal"), one.getBoolean("atMost"))
                            : null));
        }
        JsonObject noted = json.getJsonObject("conditions");
        noted.keySet().forEach(name -> result.note(name, noted.getString(name)));
        return result;
    }

    private static double number(JsonObject json, String name) {
        return json.getJsonNumber(name).doubleValue();
    }
}
