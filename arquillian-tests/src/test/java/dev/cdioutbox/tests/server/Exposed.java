package dev.cdioutbox.tests.server;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The outbox's series in a text that a server exposes to Prometheus. */
public final class Exposed {
    /** The labels that each series gets besides its own: Prometheus adds one, the configuration the other. */
    public static final Set<String> GIVEN = Set.of("instance", "mp_app");

    private static final Pattern LABEL = Pattern.compile("[{,](\\w+)=\"");

    private final List<String> series;

    public Exposed(String text) {
        series = text.lines()
                .filter(line -> line.startsWith("outbox_"))
                .map(line -> line.substring(0, line.lastIndexOf(' ')))
                .toList();
    }

    /** The series: names with their labels. */
    public List<String> series() {
        return series;
    }

    public Set<String> names() {
        return series.stream()
                .map(text -> text.substring(0, text.indexOf('{')))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The labels of the outbox's series, and {@link #GIVEN}. */
    public Set<String> labels() {
        Set<String> labels = new TreeSet<>(GIVEN);
        for (String text : series) {
            Matcher label = LABEL.matcher(text);
            while (label.find()) {
                labels.add(label.group(1));
            }
        }
        return labels;
    }
}
