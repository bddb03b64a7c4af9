package dev.cdioutbox.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.observe.OutboxMetric.Kind;
import dev.cdioutbox.internal.observe.OutboxMetric.Label;
import org.junit.jupiter.api.Test;

/** Guards that the page on monitoring lists each metric that the code registers, and no other. */
class DocumentedMetricsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern NAME = Pattern.compile("(?<![\\w.])outbox_[a-z_]+");

    @Test
    void monitoringPageListsExactlyTheMetricsThatAreRegistered() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/monitoring.md"));
        String table = page.substring(page.indexOf("## Metrics"), page.indexOf("### Metrics by OpenTelemetry"));
        Set<String> listed = table.lines()
                .filter(line -> line.startsWith("| `outbox_"))
                .flatMap(line -> NAME.matcher(line.substring(0, line.indexOf(" | ")))
                        .results()
                        .map(MatchResult::group))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(listed).isEqualTo(registered());
    }

    /** The names as they are exposed: that of a timer ends with its unit. */
    private static Set<String> registered() {
        return Arrays.stream(OutboxMetric.values())
                .map(metric -> metric.microProfileName() + (metric.kind() == Kind.TIMER ? "_seconds" : ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void openTelemetryNamesFollowTheRuleOfThePage() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/monitoring.md"));
        String rule = page.substring(page.indexOf("### Metrics by OpenTelemetry"), page.indexOf("## Alerts"));

        assertThat(OutboxMetric.values()).allSatisfy(metric -> {
            String name = metric.microProfileName();
            String byRule = "cdioutbox." + name.replaceAll("^outbox_|_total$|_seconds$", "");
            assertThat(metric.openTelemetryName())
                    .isEqualTo(rule.contains("| `" + name + "` |") ? "messaging.client.sent.messages" : byRule);
            assertThat(metric.unit().equals("s")).isEqualTo(metric.kind() == Kind.TIMER || name.endsWith("_seconds"));
        });
        assertThat(Label.values())
                .allSatisfy(label -> assertThat(rule).contains("`" + label.tag() + "`", "`" + label.attribute() + "`"));
    }
}
