package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.awaitLog;
import static dev.cdioutbox.tests.external.Landscape.secondsSince;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import dev.cdioutbox.tests.server.FakeClock;
import dev.cdioutbox.tests.server.PostgresServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The clock of the database, or of a server, is set forward and back by an hour while messages are sent. */
@Tag("chaos")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class ClockIT {
    private final FakeClock ofDatabase = new FakeClock("clock-of-database");
    private final FakeClock ofServer = new FakeClock("clock-of-server");
    private Landscape landscape;
    private Ledger ledger;

    @BeforeEach
    void start() {
        PostgresServer database = new PostgresServer().start(Landscape.PREPARED_TRANSACTIONS);
        database.restartWith(ofDatabase.environment());
        landscape = new Landscape("clock", database);
        landscape.a.with(ofServer.environment());
        landscape.start();
        ledger = new Ledger(landscape);
    }

    @AfterEach
    void stop() {
        if (landscape != null) {
            landscape.close();
        }
    }

    @Test
    void nothingIsLostDoubledOrOvertakenWhenTheClockOfTheDatabaseIsSet() {
        for (int hours : List.of(1, 0, -1, 0)) {
            setUnderLoad(ofDatabase, hours, this::timeOfDatabase);
        }
    }

    /**
     * Liberty computes the delay until the next call of an interval timer from the clock. Since the clock was set back, this
     * delay is an hour.
     */
    @Test
    void aServerWhoseClockIsSetBackSendsWhatItCommitsAndPollsAgainAfterARestart() {
        setUnderLoad(ofServer, -1, this::timeOfServer);
        leaveAllToA();
        landscape.pile(500);
        await("liveness is DOWN").atMost(LONG).until(() -> liveness() == 503);
        assertThat(waiting("news")).hasSize(500);
        landscape.sampleOfA.placeOrder();
        await("the order is sent").atMost(LONG).until(() -> waiting("default").isEmpty());
        assertThat(waiting("news")).hasSize(500);

        landscape.a.stop();
        landscape.a.start();
        await("liveness is UP").atMost(LONG).until(() -> liveness() == 200);
        ledger.assertNothingIsLostDoubledOrOvertaken(List.of());

        setUnderLoad(ofServer, 0, this::timeOfServer);
    }

    private void leaveAllToA() {
        int from = landscape.b.log().length();
        landscape.b.set("outbox.dispatcher.enabled", "false");
        awaitLog(landscape.b, from, "dispatcher.enabled is now false");
    }

    private int liveness() {
        return landscape.sampleOfA.get("/health/live").statusCode();
    }

    private void setUnderLoad(FakeClock clock, int hours, Supplier<Instant> reading) {
        List<String> acknowledged;
        try (Traffic traffic = new Traffic(landscape.sampleOfA, landscape.sampleOfB)) {
            landscape.pile(500);
            clock.set(hours);
            await("the clock is set").atMost(LONG).untilAsserted(() -> assertThat(reading.get())
                    .isCloseTo(Instant.now().plus(hours, HOURS), within(5, MINUTES)));
            int before = traffic.acknowledged().size();
            await("business goes on")
                    .atMost(LONG)
                    .until(() -> traffic.acknowledged().size() > before + 10);
            acknowledged = traffic.acknowledged();
            assertThat(traffic.refused()).isEmpty();
        }
        long start = System.nanoTime();
        ledger.assertNothingIsLostDoubledOrOvertaken(acknowledged);
        tell("%+d h: all is there after %.1f s", hours, secondsSince(start));
    }

    private List<String> waiting(String destination) {
        return landscape.database.query("SELECT seq FROM outbox_message_view WHERE destination = '" + destination
                + "' AND status IS DISTINCT FROM 'PUBLISHED'");
    }

    private Instant timeOfDatabase() {
        return Instant.parse(landscape
                .database
                .query("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
                .get(0));
    }

    private Instant timeOfServer() {
        String date = landscape
                .sampleOfA
                .get("/api/orders")
                .headers()
                .firstValue("Date")
                .orElseThrow();
        return ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
    }
}
