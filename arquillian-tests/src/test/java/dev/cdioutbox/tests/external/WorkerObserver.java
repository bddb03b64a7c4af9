package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import jakarta.json.JsonObject;
import jakarta.json.JsonValue;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;

/** What a server tells of the way to one of its destinations, in its health data and, from now on, in its log. */
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

    /** Where this part of the log begins. */
    int from() {
        return from;
    }

    /** How often in a row its timer has called in vain: an outage is counted in intervals. */
    int failedRuns() {
        return data("failed-runs");
    }

    /** For how long somebody has been waiting for the broker or the database. */
    int silentSeconds() {
        return data("silent-seconds");
    }

    void awaitFailedRuns(int atLeast) {
        await(destination + " fails").atMost(SOON.plusSeconds(2L * atLeast)).until(() -> failedRuns() >= atLeast);
    }

    /**
     * At most a run that had begun before the return, and one more, failed after it.
     *
     * @param atReturn how many had failed when broker or database were back; none if it works again already
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
     * A line when it begins, one when it is over, and one a minute in between, however often the timer has called.
     *
     * @param workers to how many destinations the way was closed
     */
    void assertQuietLog(int workers) {
        assertThat(lines("OBX-\\d+: destination '" + destination + "'"))
                .hasSizeBetween(
                        2, 5 + (int) Duration.ofNanos(System.nanoTime() - begun).toMinutes());
        // The container hears of the first failure in a row and retries once; of a second one it would wait 300 s.
        assertThat(lines("CNTR0020E.*DispatchTimer"))
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
