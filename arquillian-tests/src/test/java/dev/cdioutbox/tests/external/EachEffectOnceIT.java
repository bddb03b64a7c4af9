package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.secondsSince;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Random;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Each message takes effect once, end to end and between two databases. A dispatcher with at-least-once is killed at
 * random moments, and two other servers consume.
 *
 * <p>A crash between the broker's commit and the settle leaves a few duplicates only. So the test also sets a third of
 * all settled messages back to pending.
 */
@Tag("full")
@ExtendWith(Landscape.Started.class)
class EachEffectOnceIT {
    private static final int KILLS = Math.max(1, Integer.getInteger("crash.rounds") / 2);
    private static final int MESSAGES = 2000;
    private static final String ORDERS = "orders_elsewhere";
    private static final String SENT = "SELECT message_id FROM outbox_message WHERE destination = 'default'";

    private static Landscape landscape;

    private LibertyServer dispatcher;
    private String begun;

    @BeforeAll
    static void enter(Landscape started) {
        landscape = started;
    }

    @BeforeEach
    void prepare() {
        landscape.awaitQuiet();
        landscape.forget("ActiveMQ.DLQ");
        begun = landscape.database.query("SELECT clock_timestamp()").get(0);
        landscape.database.update("CREATE DATABASE " + ORDERS);
        dispatcher = landscape
                .server("dispatcher")
                .set("cdioutbox.postgresql.database", ORDERS)
                .set("outbox.dispatcher.delivery", "at-least-once")
                .set("consumer.queue", "nothing.comes.here");
    }

    @AfterEach
    void end() {
        dispatcher.close();
        landscape.database.update("DROP DATABASE " + ORDERS + " WITH (FORCE)");
        landscape.forget("copy.outbox", "copy.news");
    }

    @Test
    void everyMessageTakesEffectOnceThoughItIsSentAgainAndDispatchersDie() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        tell("seed %d", seed);
        double before = skipped();
        int forced = 0;
        dispatcher.start();
        SampleClient customer = new SampleClient(dispatcher::url);
        List<String> acknowledged;
        try (Traffic traffic = new Traffic(customer, customer)) {
            for (int kill = 1; kill <= KILLS; kill++) {
                pile();
                awaitPending(random.nextInt(MESSAGES / 2));
                dispatcher.kill();
                forced += sendAgain();
                dispatcher.start();
            }
            acknowledged = traffic.acknowledged();
        }
        long start = System.nanoTime();
        awaitPending(0);
        // The broker has all published messages, so an empty queue means that the consumers took the last one.
        await("the consumers have taken all").atMost(LONG).until(() -> landscape.broker.isEmpty("outbox"));

        List<String> sent = landscape.database.queryIn(ORDERS, SENT);
        tell(
                "%d messages, %d sent again by hand, %.0f duplicates skipped; %.1f s after the last start",
                sent.size(), forced, skipped() - before, secondsSince(start));
        assertThat(sent).hasSizeGreaterThanOrEqualTo(MESSAGES * KILLS);
        // The consumers may have taken the last messages without having committed yet.
        await().atMost(LONG).untilAsserted(() -> {
            assertThat(since("shipment")).containsExactlyInAnyOrderElementsOf(sent);
            assertThat(since("outbox_inbox")).containsExactlyInAnyOrderElementsOf(sent);
        });
        assertThat(forced).isGreaterThan(0);
        assertThat(skipped() - before).isGreaterThanOrEqualTo(forced);
        assertThat(landscape.database.queryIn(
                        ORDERS,
                        "SELECT message_key || ' ' || event_type FROM outbox_message WHERE destination = 'default'"))
                .containsAll(acknowledged);
        // ActiveMQ may move probe messages of a starting dispatcher, which have no event type, to this queue.
        assertThat(landscape.sampleOfA.putAside()).noneMatch(aside -> aside.containsKey("eventType"));
    }

    private static void pile() {
        landscape.database.updateIn(ORDERS, Landscape.pile(MESSAGES, "default", "OrderPlaced", Landscape.PILED));
    }

    /** Waits until at most this number of messages is pending. */
    private static void awaitPending(int most) {
        String pending = "SELECT count(*) FROM outbox_message_view WHERE destination = 'default'"
                + " AND status IS DISTINCT FROM 'PUBLISHED'";
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> Integer.parseInt(
                                landscape.database.queryIn(ORDERS, pending).get(0))
                        <= most);
    }

    /** Sets a third of the settled messages back to pending, as if a crash had prevented the settle. */
    private static int sendAgain() {
        return landscape.database.updateIn(ORDERS, """
                WITH again AS (
                  DELETE FROM outbox_delivery d USING outbox_message m
                  WHERE m.seq = d.seq AND d.status = 3 AND m.destination = 'default' AND random() < 0.34
                  RETURNING m.seq, m.partition_id, d.attempts)
                INSERT INTO outbox_queue (seq, queue_id, attempts)
                SELECT a.seq, a.partition_id, a.attempts FROM again a""");
    }

    /** The messages that a table of the consumers' database has received since the test began. */
    private List<String> since(String table) {
        return landscape.database.query("SELECT message_id FROM %s WHERE received_at > '%s'".formatted(table, begun));
    }

    private static double skipped() {
        return landscape.sampleOfA.metric("outbox_duplicates_skipped_total", "shipping")
                + landscape.sampleOfB.metric("outbox_duplicates_skipped_total", "shipping");
    }
}
