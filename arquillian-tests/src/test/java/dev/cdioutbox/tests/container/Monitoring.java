package dev.cdioutbox.tests.container;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;

/** Reads the queries in the files for monitoring, and the metrics and labels that the queries use. */
final class Monitoring {
    private static final Pattern NAME = Pattern.compile("\\boutbox_[a-z_]+");
    private static final Pattern SELECTOR = Pattern.compile("\\b(outbox_[a-z_]+)\\{([^}]*)}");
    private static final Pattern EXACT = Pattern.compile("\\w+=\"[^\"]*\"");
    private static final Pattern GROUPED_METRIC =
            Pattern.compile("\\b(?:by|on) ?\\(([^)]*)\\)\\s*\\(?(?:\\w+\\()*(outbox_[a-z_]+)");
    private static final Pattern GROUPED = Pattern.compile("\\b(?:by|on) ?\\(([^)]*)\\)");

    private static final Pattern SCRAPED = Pattern.compile("(?s)metrics_path: (\\S+)\n.*\n +(\\w+): \\[(\\w+)]\n");

    private Monitoring() {}

    /** The path that Prometheus asks each server for. */
    static String scrapedPath(Path scrape) throws IOException {
        Matcher found = SCRAPED.matcher(Files.readString(scrape));
        if (!found.find()) {
            throw new IllegalArgumentException("no path in " + scrape);
        }
        return found.group(1) + "?" + found.group(2) + "=" + found.group(3);
    }

    /** The expressions of the rules: the text after a key {@code expr}, and the lines that are indented further. */
    static List<String> alerts(Path rules) throws IOException {
        List<String> expressions = new ArrayList<>();
        List<String> lines = Files.readAllLines(rules);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.strip().startsWith("expr:")) {
                int indent = line.indexOf("expr:");
                StringBuilder text = new StringBuilder(line.strip().substring("expr:".length()));
                while (lines.get(i + 1).isBlank() || indent(lines.get(i + 1)) > indent) {
                    text.append(' ').append(lines.get(++i).strip());
                }
                expressions.add(text.toString().replace(">-", "").strip());
            }
        }
        return expressions;
    }

    private static int indent(String line) {
        return line.length() - line.stripLeading().length();
    }

    static List<String> panels(Path dashboard) throws IOException {
        try (Reader file = Files.newBufferedReader(dashboard);
                JsonReader reader = Json.createReader(file)) {
            return reader.readObject().getJsonArray("panels").getValuesAs(JsonObject.class).stream()
                    .flatMap(panel -> panel.getJsonArray("targets").getValuesAs(JsonObject.class).stream())
                    .map(target -> target.getString("expr"))
                    .toList();
        }
    }

    static Set<String> names(String query) {
        return NAME.matcher(query).results().map(found -> found.group()).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The label values that a query asks for, each with its metric. */
    static Map<String, String> selectors(String query) {
        Map<String, String> selectors = new LinkedHashMap<>();
        Matcher selector = SELECTOR.matcher(query);
        while (selector.find()) {
            Matcher exact = EXACT.matcher(selector.group(2));
            while (exact.find()) {
                selectors.put(exact.group(), selector.group(1));
            }
        }
        return selectors;
    }

    /** The metrics that a query groups or joins, each with the labels that it needs. */
    static Map<String, Set<String>> groupedMetrics(String query) {
        Map<String, Set<String>> grouped = new LinkedHashMap<>();
        Matcher group = GROUPED_METRIC.matcher(query);
        while (group.find()) {
            grouped.computeIfAbsent(group.group(2), first -> new TreeSet<>()).addAll(labels(group.group(1)));
        }
        return grouped;
    }

    static Set<String> grouped(String query) {
        return GROUPED.matcher(query)
                .results()
                .flatMap(found -> labels(found.group(1)).stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> labels(String list) {
        return Pattern.compile(",").splitAsStream(list).map(String::strip).collect(Collectors.toSet());
    }
}
