package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.secondsSince;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * End to end, between two databases: two servers that only promise at-least-once and are killed at random moments, and a
 * consumer on a third one, whose effects are in a database of its own. What a crash between the broker's commit and the
 * settling leaves behind is made by hand too, for a third of all messages and not just those in flight.
 */
@ExtendWith(Landscape.Started.class)
class EachEffectOnceIT {
    private static final Duration LONG = Duration.ofMinutes(4);
    private static final int ROUNDS = Math.max(2, Integer.getInteger("crash.rounds") / 2);
    private static final int MESSAGES = 1500;
    private static final String EFFECTS = "effects";

    private static Landscape landscape;

    private LibertyServer consumer;
    private String after;

    @BeforeAll
    static void enter(Landscape started) {
        landscape = started;
    }

    @BeforeEach
    void prepare() {
        landscape.awaitQuiet();
        landscape.forget("copy.news", "ActiveMQ.DLQ");
        after = landscape
                .database
                .query("SELECT COALESCE(max(seq), 0) FROM outbox_message")
                .get(0);
        landscape.database.update("DROP DATABASE IF EXISTS " + EFFECTS);
        landscape.database.update("CREATE DATABASE " + EFFECTS);
        consumer = landscape
                .server("consumer")
                .set("cdioutbox.postgresql.database", EFFECTS)
                .set("outbox.dispatcher.enabled", "false")
                .set("consumer.queue", "copy.news")
                .set("consumer.sessions", "4");
        deliver("at-least-once");
    }

    @AfterEach
    void restore() {
        deliver("exactly-once");
        consumer.close();
        landscape.awaitQuiet();
        landscape.forget("copy.outbox");
    }

    @Test
    void everyMessageTakesEffectOnceThoughItIsSentAgainAndDispatchersDie() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        tell("seed %d", seed);
        int forced = 0;
        List<String> acknowledged;
        CompletableFuture<?> started = CompletableFuture.runAsync(consumer::start);
        CompletableFuture<?> restarted = CompletableFuture.completedFuture(null);
        try (Traffic traffic = new Traffic(landscape.sampleOfA, landscape.sampleOfB)) {
            for (int round = 1; round <= ROUNDS; round++) {
                landscape.pile(MESSAGES);
                Thread.sleep(random.nextInt(3000));
                LibertyServer victim = random.nextBoolean() ? landscape.a : landscape.b;
                // One of them is always there.
                restarted.join();
                victim.kill();
                forced += sendAgain();
                restarted = CompletableFuture.runAsync(victim::start);
            }
            acknowledged = traffic.acknowledged();
        }
        CompletableFuture.allOf(started, restarted).join();
        await("every message is published").atMost(LONG).until(() -> landscape
                .database
                .query("SELECT 1 FROM outbox_message WHERE status <> 'PUBLISHED' LIMIT 1")
                .isEmpty());
        long start = System.nanoTime();
        await("the consumer has taken all").atMost(LONG).until(() -> landscape.broker.isEmpty("copy.news"));

        List<String> sent = landscape.database.query(
                "SELECT message_id FROM outbox_message WHERE destination = 'news' AND seq > " + after);
        List<String> effects = landscape.database.queryIn(EFFECTS, "SELECT message_id FROM shipment");
        double skipped = new SampleClient(consumer::url).metric("outbox_duplicates_skipped_total", "shipping");
        tell(
                "%d messages, %d sent again by hand, %.0f duplicates skipped; the consumer needed %.1f s more",
                sent.size(), forced, skipped, secondsSince(start));
        assertThat(sent).hasSizeGreaterThanOrEqualTo(MESSAGES * ROUNDS);
        assertThat(effects).containsExactlyInAnyOrderElementsOf(sent);
        assertThat(landscape.database.queryIn(EFFECTS, "SELECT message_id FROM outbox_inbox"))
                .containsExactlyInAnyOrderElementsOf(sent);
        assertThat(skipped).isGreaterThanOrEqualTo(forced);
        assertThat(acknowledgedButWithoutEffect(acknowledged)).isEmpty();
        assertNothingPutAside();
    }

    /** What is settled waits again, as if it had not been settled; whether the consumer has seen it or not. */
    private int sendAgain() {
        return landscape.database.update("""
                UPDATE outbox_message m SET status = 'PENDING', available_at = NULL, published_at = NULL, queue_id = p.id
                FROM outbox_partition p
                WHERE p.application = m.application AND p.destination = m.destination AND p.partition_no = m.partition_no
                AND m.status = 'PUBLISHED' AND m.destination = 'news' AND random() < 0.34
                AND m.seq > %s""".formatted(after));
    }

    private static List<String> acknowledgedButWithoutEffect(List<String> acknowledged) {
        List<String> orders = landscape.database.queryIn(EFFECTS, "SELECT DISTINCT order_id FROM shipment");
        return acknowledged.stream()
                .filter(event -> event.endsWith(" OrderCancelled"))
                .map(event -> event.substring(0, event.indexOf(' ')))
                .filter(order -> !orders.contains(order))
                .toList();
    }

    private static void assertNothingPutAside() {
        assertThat(landscape.broker.drain("ActiveMQ.DLQ")).isEmpty();
    }

    private static void deliver(String promise) {
        landscape.a.set("outbox.dispatcher.delivery", promise);
        landscape.b.set("outbox.dispatcher.delivery", promise);
    }
}
