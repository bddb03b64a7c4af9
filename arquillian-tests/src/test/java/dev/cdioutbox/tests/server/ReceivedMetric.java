package dev.cdioutbox.tests.server;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** A metric that a server exported, with the names that Prometheus gives it by default. */
final class ReceivedMetric {
    private static final int GAUGE = 5;
    private static final int SUM = 7;
    private static final int HISTOGRAM = 9;

    private final String name;
    private final Protobuf metric;

    private ReceivedMetric(Protobuf metric) {
        this.metric = metric;
        this.name = snake(metric.text(1)) + (metric.text(3).equals("s") ? "_seconds" : "");
    }

    static ReceivedMetric of(Protobuf metric) {
        return new ReceivedMetric(metric);
    }

    /** Calls with each series and its value. */
    void forEach(BiConsumer<String, Double> series) {
        points(GAUGE).forEach(point -> series.accept(text("", labels(point, 7)), point.real(4)));
        points(SUM).forEach(point -> series.accept(text("_total", labels(point, 7)), (double) point.number(6)));
        points(HISTOGRAM).forEach(point -> histogram(point, series));
    }

    private Iterable<Protobuf> points(int kind) {
        return metric.messages(kind).stream()
                .flatMap(data -> data.messages(1).stream())
                .toList();
    }

    private void histogram(Protobuf point, BiConsumer<String, Double> series) {
        Map<String, String> labels = labels(point, 9);
        series.accept(text("_count", labels), (double) point.number(4));
        series.accept(text("_sum", labels), point.real(5));
        double[] bounds = point.reals(7);
        long[] counts = point.longs(6);
        long all = 0;
        for (int i = 0; i < bounds.length; i++) {
            all += counts[i];
            labels.put("le", String.valueOf(bounds[i]));
            series.accept(text("_bucket", labels), (double) all);
        }
    }

    private static Map<String, String> labels(Protobuf point, int field) {
        Map<String, String> labels = new TreeMap<>();
        for (Protobuf attribute : point.messages(field)) {
            attribute.messages(2).forEach(value -> labels.put(snake(attribute.text(1)), value.text(1)));
        }
        return labels;
    }

    private String text(String suffix, Map<String, String> labels) {
        return name
                + suffix
                + labels.entrySet().stream()
                        .map(label -> "%s=\"%s\"".formatted(label.getKey(), label.getValue()))
                        .collect(Collectors.joining(",", "{", "}"));
    }

    private static String snake(String name) {
        return name.replace('.', '_');
    }
}
