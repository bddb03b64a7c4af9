package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.awaitLog;
import static dev.cdioutbox.tests.external.Landscape.secondsSince;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import dev.cdioutbox.tests.server.FirstColumn;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.Trap.Place;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * No message is lost, doubled or overtaken when a server dies or stops in the middle of a batch. Two servers share the
 * database and the broker.
 */
@Tag("full")
@ExtendWith(Landscape.Started.class)
class CrashIT {
    /** The servers whose prepared transaction holds rows of the outbox. */
    private static final String PREPARED = """
            SELECT a.application_name FROM pg_prepared_xacts p
            JOIN pg_stat_activity a ON a.query LIKE 'PREPARE TRANSACTION%%' || p.gid || '%%'
            WHERE a.application_name LIKE '%s'
            AND EXISTS (SELECT 1 FROM outbox_queue q WHERE q.seq > 0 AND q.xmax = p.transaction)
            """;
    /** The keys that no server may send before the outcome of the message in doubt is known. */
    private static final String KEYS_IN_DOUBT =
            "SELECT m.message_key FROM outbox_message m JOIN outbox_queue q ON q.seq = m.seq"
                    + " JOIN pg_prepared_xacts p ON q.xmax = p.transaction";

    /** Between the two prepares, between the log and the broker's commit, and between the two commits. */
    private static final List<Place> PLACES = List.of(Place.PREPARED, Place.COMMIT, Place.COMMITTED);

    private static Landscape landscape;
    private static Ledger ledger;

    @BeforeAll
    static void enter(Landscape started) {
        landscape = started;
    }

    @BeforeEach
    void openLedger() {
        landscape.awaitQuiet();
        ledger = new Ledger(landscape);
    }

    @Tag("decisive")
    @Test
    void nothingIsLostDoubledOrOvertakenWhenAServerIsKilled() throws Exception {
        for (int round = 1; round <= Integer.getInteger("crash.rounds"); round++) {
            LibertyServer victim = round % 2 == 1 ? landscape.a : landscape.b;
            List<String> acknowledged;
            try (Traffic traffic = new Traffic(landscape.sampleOfA, landscape.sampleOfB)) {
                if (round <= PLACES.size()) {
                    landscape.killAt(PLACES.get(round - 1), victim, round % 2 == 1 ? landscape.b : landscape.a);
                } else {
                    killSomewhere(victim, round);
                }
                awaitSurvivor(round);
                acknowledged = traffic.acknowledged();
            }
            // The dispatcher is off, so that recovery resolves the branches in doubt and no new batch waits for them.
            restart(victim, round);
            ledger.assertNothingIsLostDoubledOrOvertaken(acknowledged);
        }
    }

    @Test
    void stopEndsTheBatchInFlightWithinSeconds() throws Exception {
        endsTheBatchInFlight("stopped", LibertyServer::stop, LibertyServer::start);
    }

    @Test
    void undeploymentEndsTheBatchInFlightWithinSeconds() throws Exception {
        endsTheBatchInFlight("undeployed", logged(LibertyServer::undeploy, "CWWKZ0009I"), LibertyServer::deploy);
    }

    /** The new application starts to dispatch while the old one still sends. */
    @Test
    void updateEndsTheBatchInFlightWithinSeconds() throws Exception {
        endsTheBatchInFlight("updated", logged(LibertyServer::update, "CWWKZ0003I"), updated -> {});
    }

    private static void endsTheBatchInFlight(
            String how, Consumer<LibertyServer> end, Consumer<LibertyServer> beginAgain) throws Exception {
        // ActiveMQ's resource adapter can acknowledge a message without a transaction while the server deactivates the
        // bean: the message never reaches a consumer. So the server that ends consumes nothing.
        setQueueOfConsumer(landscape.a, "nothing.comes.here");
        List<String> acknowledged;
        try (Traffic traffic = new Traffic(landscape.sampleOfA, landscape.sampleOfB)) {
            landscape.pile(1000);
            awaitPrepared(landscape.a.name());
            long start = System.nanoTime();
            end.accept(landscape.a);
            tell("%s in mid-batch within %.1f s", how, secondsSince(start));
            // No process died, so the batch in flight must end without recovery.
            await("nothing is in doubt")
                    .atMost(LONG)
                    .until(() -> landscape.database.query(KEYS_IN_DOUBT).isEmpty());
            acknowledged = traffic.acknowledged();
            beginAgain.accept(landscape.a);
            await("the application answers").atMost(LONG).until(landscape.a::answers);
        }
        ledger.assertNothingIsLostDoubledOrOvertaken(acknowledged);
        setQueueOfConsumer(landscape.a, "outbox");
    }

    /**
     * Changes the variable while the application is away. A running application would activate its bean twice: at once,
     * and again with its restart. If the adapter still connects for the first activation then, it leaves a consumer that
     * takes messages from the queue and hands them to no bean.
     */
    private static void setQueueOfConsumer(LibertyServer server, String queue) {
        logged(LibertyServer::undeploy, "CWWKZ0009I").accept(server);
        logged(undeployed -> undeployed.set("consumer.queue", queue), "CWWKG0017I")
                .accept(server);
        logged(LibertyServer::deploy, "Successfully established connection to broker")
                .accept(server);
        await("the application answers").atMost(LONG).until(server::answers);
    }

    private static Consumer<LibertyServer> logged(Consumer<LibertyServer> deed, String text) {
        return server -> {
            int before = server.log().length();
            deed.accept(server);
            awaitLog(server, before, text);
        };
    }

    /** Kills the victim after a prepare or after a settle, at a random moment of a batch. */
    private static void killSomewhere(LibertyServer victim, int round) throws SQLException {
        landscape.pile(1000);
        if (round % 3 == 0) {
            awaitPublished();
        } else {
            awaitPrepared(victim.name());
        }
        victim.kill();
    }

    /** Waits until the database holds a prepared transaction of this server's dispatcher. */
    private static void awaitPrepared(String server) throws SQLException {
        long deadline = System.nanoTime() + LONG.toNanos();
        try (Connection connection = landscape.database.connect()) {
            while (FirstColumn.of(connection, PREPARED.formatted(server)).isEmpty()) {
                assertThat(System.nanoTime()).as("no delivery of " + server).isLessThan(deadline);
            }
        }
    }

    private static void awaitPublished() {
        await().atMost(LONG).pollInterval(Duration.ofMillis(1)).until(() -> !landscape
                .database
                .query("SELECT 1 FROM outbox_message_view WHERE destination = 'news' AND status = 'PUBLISHED' LIMIT 1")
                .isEmpty());
    }

    /** Waits until the survivor has published all messages that were stored, except for the keys in doubt. */
    private static void awaitSurvivor(int round) {
        long start = System.nanoTime();
        String last =
                landscape.database.query("SELECT max(seq) FROM outbox_message").get(0);
        String waiting = "SELECT seq FROM outbox_message_view WHERE status IS DISTINCT FROM 'PUBLISHED' AND seq <= "
                + last + " AND message_key NOT IN (" + KEYS_IN_DOUBT + ")";
        int before = landscape.database.query(waiting).size();
        int doubt = landscape.database.query(KEYS_IN_DOUBT).size();
        await("the survivor goes on")
                .atMost(LONG)
                .until(() -> landscape.database.query(waiting).isEmpty());
        tell(
                "round %d: %d message(s) in doubt; the survivor published the other %d within %.1f s",
                round, doubt, before, secondsSince(start));
    }

    private static void restart(LibertyServer victim, int round) {
        int doubt = landscape.broker.inDoubt();
        victim.set("outbox.dispatcher.enabled", "false");
        long start = System.nanoTime();
        victim.start();
        double up = secondsSince(start);
        await("nothing is in doubt")
                .atMost(LONG)
                .until(() -> landscape.database.query(KEYS_IN_DOUBT).isEmpty());
        tell(
                "round %d: %d in doubt in the broker; restarted within %.1f s, resolved after %.1f s",
                round, doubt, up, secondsSince(start));
        int before = victim.log().length();
        victim.set("outbox.dispatcher.enabled", "true");
        // The next round could otherwise revert the change unnoticed, and would wait in vain for its own log line.
        awaitLog(victim, before, "dispatcher.enabled is now true");
    }
}
