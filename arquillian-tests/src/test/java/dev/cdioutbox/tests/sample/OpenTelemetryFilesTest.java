package dev.cdioutbox.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

/**
 * Guards that the alert rules and the dashboard for OpenTelemetry ask the same as those for MicroProfile Metrics. If one
 * of them changes, a test fails, and writes its twin anew: copy it.
 */
class OpenTelemetryFilesTest {
    private static final Path SHIPPED = Path.of("..", "liberty-config", "src", "main", "cdi-outbox", "monitoring");
    private static final Path WRITTEN = Path.of("target", "monitoring");
    private static final Pattern QUERY =
            Pattern.compile("(?<=\"(?:expr|legendFormat|query|definition)\": \").*(?=\",?$)", Pattern.MULTILINE);
    private static final Pattern LONGEST = Pattern.compile("max\\((\\w+)_max(\\{.*?})\\)");

    @Test
    void alertRulesAskTheSame() throws IOException {
        String rules = Files.readString(SHIPPED.resolve("prometheus-rules.yml"));
        int first = rules.indexOf("groups:");
        String header = rules.substring(0, first)
                .replace("for Prometheus.", "for Prometheus, which gets the metrics from OpenTelemetry.")
                .replaceAll(
                        "# mp_app is .*\n",
                        "# cdioutbox_application is the name that the outbox gives the application (outbox.application).\n"
                                + "# instance comes from service.instance.id, which each node has to set.\n");
        // The SDK brings the buckets.
        String body = rules.substring(first).replaceAll(" *# Needs the buckets .*\n", "");

        assertShipped("prometheus-rules-opentelemetry.yml", header + OpenTelemetryNames.query(body, "\""));
    }

    @Test
    void dashboardAsksTheSame() throws IOException {
        String dashboard = Files.readString(SHIPPED.resolve("grafana-dashboard.json"))
                .replace("\"title\": \"CDI Outbox\"", "\"title\": \"CDI Outbox by OpenTelemetry\"")
                .replace("\"uid\": \"cdi-outbox\"", "\"uid\": \"cdi-outbox-opentelemetry\"")
                // The label is always there: what has none is of others.
                .replace("\"allValue\": \".*\"", "\"allValue\": \".+\"");
        String twin = QUERY.matcher(dashboard)
                .replaceAll(query ->
                        Matcher.quoteReplacement(OpenTelemetryNames.query(withoutLongest(query.group()), "\\\"")));

        assertShipped("grafana-dashboard-opentelemetry.json", twin);
    }

    /** Prometheus gets no maximum from a histogram: the upper bound of the last bucket with a value is the nearest. */
    private static String withoutLongest(String query) {
        return LONGEST.matcher(query).replaceAll("histogram_quantile(1, sum by (le) (rate($1_bucket$2[5m])))");
    }

    private static void assertShipped(String name, String expected) throws IOException {
        Files.createDirectories(WRITTEN);
        Files.writeString(WRITTEN.resolve(name), expected);
        Path shipped = SHIPPED.resolve(name);
        assertThat(Files.exists(shipped) && Files.readString(shipped).equals(expected))
                .as("%s is the twin; copy it from %s", shipped, WRITTEN.toAbsolutePath())
                .isTrue();
    }
}
