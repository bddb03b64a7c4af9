package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import jakarta.json.JsonObject;
import jakarta.json.JsonValue;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;

/** Reads the state of one destination from a server's health data, and from its log since the construction. */
final class WorkerObserver {
    private static final Pattern RESUMED =
            Pattern.compile("OBX-0402: destination '(.*)': delivery works again after (\\d+) failed attempt");

    private final LibertyServer server;
    private final String destination;
    private final int from;
    private final long begun = System.nanoTime();

    WorkerObserver(LibertyServer server, String destination) {
        this.server = server;
        this.destination = destination;
        this.from = server.log().length();
    }

    /** The position in the log at which the observation began. */
    int from() {
        return from;
    }

    /** The number of failed worker runs in a row. */
    int failedRuns() {
        return data("failed-runs");
    }

    /** For how many seconds a worker of this destination has waited for the broker or the database. */
    int silentSeconds() {
        return data("silent-seconds");
    }

    void awaitFailedRuns(int atLeast) {
        await(destination + " fails").atMost(LONG.plusSeconds(2L * atLeast)).until(() -> failedRuns() >= atLeast);
    }

    /**
     * Asserts that at most two runs failed after the return: one that had begun before it, and one more.
     *
     * @param atReturn the number of failed runs when the broker or the database was back; 0 if dispatch had resumed
     */
    void assertResumedWithinTwoIntervals(int atReturn) {
        Landscape.awaitLog(server, from, "OBX-0402: destination '" + destination + "'");
        int all = RESUMED.matcher(log())
                .results()
                .filter(line -> line.group(1).equals(destination))
                .mapToInt(line -> Integer.parseInt(line.group(2)))
                .max()
                .orElseThrow();
        assertThat(atReturn == 0 ? 0 : all - atReturn)
                .as("failed runs after the return, of %d", all)
                .isBetween(0, 2);
    }

    /**
     * Asserts the few log lines of an outage: one at its begin, one at its end, one a minute between them.
     *
     * @param workers the number of destinations that the outage affected
     */
    void assertQuietLog(int workers) {
        // Without the finding in the doctor's line at the start.
        assertThat(lines("\\] OBX-\\d+: destination '" + destination + "'"))
                .hasSizeBetween(
                        2, 5 + (int) Duration.ofNanos(System.nanoTime() - begun).toMinutes());
        // The container retries the first failure in a row once. After a second failure it would wait for 300 s.
        assertThat(lines("CNTR0020E.*Dispatchers"))
                .as("failures that reached the container")
                .hasSizeLessThanOrEqualTo(workers);
    }

    List<String> lines(String pattern) {
        Pattern line = Pattern.compile(pattern);
        return log().lines().filter(text -> line.matcher(text).find()).toList();
    }

    private String log() {
        return server.log().substring(from);
    }

    private int data(String name) {
        JsonObject ready = Http.json(Http.get(server.url("/health/ready"))).asJsonObject();
        return ready.getJsonArray("checks").stream()
                .map(JsonValue::asJsonObject)
                .filter(check -> check.getString("name").equals("outbox-delivery"))
                .map(check -> check.getJsonObject("data").getInt(destination + "." + name, 0))
                .findFirst()
                .orElseThrow();
    }
}
