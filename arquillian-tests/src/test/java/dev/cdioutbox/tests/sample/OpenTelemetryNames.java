package dev.cdioutbox.tests.sample;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Turns what is written for the metrics of MicroProfile Metrics into the same for those that Prometheus receives from
 * OpenTelemetry.
 */
final class OpenTelemetryNames {
    private static final Map<String, String> LABELS = Map.of(
            "mp_app", "cdioutbox_application",
            "destination", "cdioutbox_destination_name",
            "consumer", "cdioutbox_consumer_name",
            "queue", "cdioutbox_queue_name",
            "state", "cdioutbox_message_state",
            "type", "cdioutbox_event_type");
    private static final Pattern SENT = Pattern.compile("\\boutbox_(published|publish_failures)_total(?:\\{([^}]*)})?");
    private static final Pattern LABEL = Pattern.compile(
            "(?<=[({,] ?|\\$labels\\.|\\{\\{)(" + String.join("|", new TreeMap<>(LABELS).keySet()) + ")(?=[,)=!} ])");
    private static final Pattern SERIES_LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    private OpenTelemetryNames() {}

    /** @param quote how a quotation mark is written: in JSON, with a backslash */
    static String query(String query, String quote) {
        String sent = SENT.matcher(query).replaceAll(found -> Matcher.quoteReplacement(sent(found, quote)));
        return LABEL.matcher(sent)
                .replaceAll(found -> LABELS.get(found.group()))
                .replaceAll("\\boutbox_", "cdioutbox_");
    }

    /** Other instrumentations have this metric too, so the query asks for a label that only the outbox's series have. */
    private static String sent(MatchResult found, String quote) {
        String ours = found.group(2) == null ? "mp_app!=" + quote + quote : found.group(2);
        String error = "error_type" + (found.group(1).equals("published") ? "=" : "!=") + quote + quote;
        return "messaging_client_sent_messages_total{" + ours + "," + error + "}";
    }

    /** A series as {@link dev.cdioutbox.tests.server.OtlpCollector} names it, for one of MicroProfile Metrics. */
    static String series(String series, String application) {
        String name = series.substring(0, series.indexOf('{'));
        Map<String, String> labels = new TreeMap<>();
        SERIES_LABEL
                .matcher(series)
                .results()
                .filter(label -> LABELS.containsKey(label.group(1)))
                .forEach(label -> labels.put(LABELS.get(label.group(1)), label.group(2)));
        labels.put("cdioutbox_application", application);
        if (SENT.matcher(name).matches()) {
            labels.put("messaging_operation_name", "send");
            labels.put("messaging_system", "jms");
            if (name.contains("failures")) {
                labels.put("error_type", "_OTHER");
            }
            name = "messaging_client_sent_messages_total";
        }
        return labels.entrySet().stream()
                .map(label -> "%s=\"%s\"".formatted(label.getKey(), label.getValue()))
                .collect(Collectors.joining(",", name.replaceAll("^outbox_", "cdioutbox_") + "{", "}"));
    }
}
