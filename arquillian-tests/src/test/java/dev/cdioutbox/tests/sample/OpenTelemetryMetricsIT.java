package dev.cdioutbox.tests.sample;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.OtlpCollector;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * OpenTelemetry exports what MicroProfile Metrics shows. The server has one OpenTelemetry for all applications, which
 * outlives the sample.
 */
@Tag("full")
class OpenTelemetryMetricsIT {
    private static final String APPLICATION = "sample";
    private static final String CAPTURED =
            "cdioutbox_captured_total{cdioutbox_application=\"sample\",cdioutbox_event_type=\"OrderPlaced\"}";
    private static final String TICK = "cdioutbox_last_tick_age_seconds{cdioutbox_application=\"sample\"}";
    private static final Pattern ASKED = Pattern.compile("\\b(?:cdioutbox|messaging_client)_[a-z_]+");

    @Test
    void allMetricsAreExportedOnceAndTheGaugesEndWithTheApplication() throws IOException {
        try (OtlpCollector collector = new OtlpCollector();
                LibertyServer server = LibertyServer.sample("otlp-metrics")
                        .exportingMetricsTo(collector.url())
                        .start()) {
            SampleClient sample = new SampleClient(server::url);
            deliver(sample);
            await().atMost(LONG).untilAsserted(() -> {
                Map<String, Double> shown = shown(sample);
                assertThat(shown).hasSizeGreaterThan(30);
                assertThat(collector.metrics().keySet()).containsAll(shown.keySet());
                assertThat(counters(collector.metrics())).isEqualTo(counters(shown));
            });
            assertThat(collector.metrics()).containsEntry(CAPTURED, 1.0).containsKey(TICK);
            String exported = String.join("\n", collector.metrics().keySet());
            assertThat(exported).contains("le=\"30.0\"");
            assertThat(asked()).hasSizeGreaterThan(20).allSatisfy(name -> assertThat(exported)
                    .containsPattern("\\b" + name + "(?:_count)?[{=]"));

            int before = server.log().length();
            server.update();
            await().atMost(LONG).until(() -> server.log().indexOf("CWWKZ0003I", before) > 0);
            deliver(sample);
            await().atMost(LONG).untilAsserted(() -> assertThat(collector.metrics())
                    .containsEntry(CAPTURED, 2.0)
                    .containsKey(TICK));
            assertThat(server.log()).doesNotContain("recorded multiple values", "Found duplicate metric");

            server.undeploy();
            await().atMost(LONG).untilAsserted(() -> assertThat(collector.metrics())
                    .containsEntry(CAPTURED, 2.0)
                    .doesNotContainKey(TICK));
            assertThat(collector.twice()).isEmpty();
        }
    }

    private static void deliver(SampleClient sample) {
        String order = sample.placeOrder();
        await().atMost(LONG).until(() -> sample.deliveries(order).size() == 1);
    }

    /** The series of MicroProfile Metrics that OpenTelemetry has as well, under its names. */
    private static Map<String, Double> shown(SampleClient sample) {
        String text = sample.get("/metrics?scope=application").body();
        return text.lines()
                .filter(line -> line.startsWith("outbox_"))
                // OpenTelemetry has other buckets, and neither quantiles nor a maximum.
                .filter(line -> !line.contains("quantile=\"") && !line.contains("le=\"") && !line.contains("_max{"))
                .collect(Collectors.toMap(
                        line -> OpenTelemetryNames.series(line, APPLICATION),
                        line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)),
                        (one, other) -> one,
                        TreeMap::new));
    }

    private static Map<String, Double> counters(Map<String, Double> series) {
        return series.entrySet().stream()
                .filter(entry -> entry.getKey().contains("_total{"))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** The names of metrics and labels in the queries for OpenTelemetry. */
    private static Set<String> asked() throws IOException {
        Path monitoring = Path.of(System.getProperty("test.server-config"), "cdi-outbox/monitoring");
        Set<String> names = new TreeSet<>();
        for (String file : List.of("prometheus-rules-opentelemetry.yml", "grafana-dashboard-opentelemetry.json")) {
            ASKED.matcher(Files.readString(monitoring.resolve(file)))
                    .results()
                    .map(MatchResult::group)
                    // Only with the transport cdc.
                    .filter(name -> !name.startsWith("cdioutbox_cdc_"))
                    .forEach(names::add);
        }
        return names;
    }
}
