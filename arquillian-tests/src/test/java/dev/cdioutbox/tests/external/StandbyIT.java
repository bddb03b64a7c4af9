package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.secondsSince;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.PostgresServer;
import dev.cdioutbox.tests.server.Trap.Place;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * PostgreSQL dies under load, and its standby takes over. The DataSource of the two servers lists both hosts, as
 * docs/before-you-adopt.md describes it.
 */
@Tag("chaos")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class StandbyIT {
    private static final int LOST = 50;
    private static final String SEQUENCES = "SELECT seq FROM outbox_message WHERE destination = 'default'";
    private static final String PREPARED = "SELECT gid FROM pg_prepared_xacts";

    private PostgresServer primary = new PostgresServer();
    private PostgresServer standby = new PostgresServer();
    private Landscape landscape;
    private Ledger ledger;

    @BeforeEach
    void start() {
        String hosts = "localhost:%d,localhost:%d".formatted(primary.port(), standby.port());
        primary.start(Landscape.PREPARED_TRANSACTIONS);
        primary.stop();
        replicate();
        landscape = new Landscape("standby", primary);
        for (LibertyServer server : List.of(landscape.a, landscape.b)) {
            server.edit(
                    "cdi-outbox/datasource-postgresql.xml",
                    """
                    serverName="${cdioutbox.postgresql.host}" portNumber="${cdioutbox.postgresql.port}"
                          databaseName="${cdioutbox.postgresql.database}"
                    """.strip(),
                    "URL=\"jdbc:postgresql://" + hosts + "/postgres\" targetServerType=\"primary\"");
        }
        landscape.start();
        ledger = new Ledger(landscape);
    }

    @AfterEach
    void stop() {
        if (landscape != null) {
            landscape.close();
        }
        standby.close();
    }

    /** Starts the primary, and the standby with a copy of its data. Both are stopped. */
    private void replicate() {
        standby.standbyOf(primary);
        primary.start(Landscape.PREPARED_TRANSACTIONS);
        standby.start(Landscape.PREPARED_TRANSACTIONS);
    }

    private void switchOver(Consumer<PostgresServer> death) {
        death.accept(primary);
        standby.promote();
        PostgresServer dead = primary;
        primary = standby;
        standby = dead;
        landscape.database = primary;
    }

    @Test
    void nothingIsLostDoubledOrOvertakenWhenASynchronousStandbyTakesOver() {
        takeOver(Place.PREPARED, PostgresServer::kill);
        primary.stop();
        replicate();
        takeOver(Place.COMMITTED, PostgresServer::kill);
        primary.stop();
        replicate();
        // The servers wait for the answers of a primary that hangs, as for those of a host that has vanished.
        try {
            takeOver(Place.COMMITTED, PostgresServer::freeze);
        } finally {
            standby.thaw();
        }
    }

    /** The primary dies while a batch is at this place in the broker, which is before or after the database's prepare. */
    private void takeOver(Place place, Consumer<PostgresServer> death) {
        primary.replicateSynchronously();
        List<String> acknowledged;
        try (Traffic traffic = new Traffic(landscape.sampleOfA, landscape.sampleOfB)) {
            landscape.broker.holdAt(place, "news");
            landscape.pile(1000);
            landscape.broker.awaitHeld(LONG);
            long start = System.nanoTime();
            switchOver(death);
            int before = traffic.acknowledged().size();
            List<String> doubt = primary.query(PREPARED);
            landscape.broker.letGo();
            await("business goes on")
                    .atMost(LONG)
                    .until(() -> traffic.acknowledged().size() > before);
            tell("%s: %d transaction(s) in doubt; an order after %.1f s", place, doubt.size(), secondsSince(start));
            await("nothing is in doubt").atMost(LONG).until(() -> primary.query(PREPARED).stream()
                    .noneMatch(doubt::contains));
            tell("%s: nothing in doubt after %.1f s", place, secondsSince(start));
            acknowledged = traffic.acknowledged();
        }
        ledger.assertNothingIsLostDoubledOrOvertaken(acknowledged);
    }

    /**
     * Business data and events are lost together, but the broker and the consumers keep the messages, and their sequences
     * come again. A message whose settlement is lost is sent again. A batch whose commit is lost stays in doubt, since its
     * server has ended it and forgotten it.
     */
    @Test
    void asynchronousStandbyLosesTheLastCommitsAndAnOperatorEndsTheBatchInDoubt() {
        pause(1);
        String twice = landscape.sampleOfA.placeOrder();
        landscape.broker.holdAt(Place.COMMITTED, "news");
        landscape.pile(Landscape.BATCH_SIZE);
        landscape.broker.awaitHeld(LONG);
        standby.stopReceivingFrom(primary);
        landscape.broker.letGo();
        pause(0);
        List<String> lost =
                Stream.generate(landscape.sampleOfA::placeOrder).limit(LOST).toList();
        landscape.awaitQuiet();
        List<String> sequences = primary.query(SEQUENCES);
        switchOver(PostgresServer::kill);

        assertThat(primary.query("SELECT id FROM orders")).containsExactly(twice);
        assertThat(primary.query("SELECT message_key FROM outbox_message WHERE destination = 'default'"))
                .containsExactly(twice);
        assertThat(sent()).contains(twice).containsAll(lost);
        pause(0);
        await("business goes on")
                .atMost(LONG)
                .ignoreExceptions()
                .until(() -> !landscape.sampleOfA.placeOrder().isEmpty());
        await("it is sent again").atMost(LONG).until(() -> sent().contains(twice));
        assertThat(sequences).containsAll(primary.query(SEQUENCES));

        await("the doubt is reported").atMost(LONG).until(() -> reports("OBX-0425"));
        for (LibertyServer server : List.of(landscape.a, landscape.b)) {
            server.stop();
            server.start();
        }
        List<String> inDoubt = primary.query(PREPARED);
        assertThat(inDoubt).as("not even a restart ends it").isNotEmpty();
        inDoubt.forEach(branch -> primary.update("COMMIT PREPARED '" + branch + "'"));
        landscape.awaitQuiet();
        ledger.read("news", "copy.news");
        ledger.assertEachStoredMessageOnce("news");
        ledger.assertOrderOfEachKey("news");
    }

    private void pause(int paused) {
        primary.update("UPDATE outbox_control SET paused = %d WHERE destination = 'default'".formatted(paused));
    }

    /** The orders of the messages that have reached the broker since the last call. */
    private List<String> sent() {
        return landscape.broker.drain("copy.outbox").stream()
                .map(StandbyIT::order)
                .toList();
    }

    private static String order(Message message) {
        try {
            return message.getStringProperty("aggregateId");
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean reports(String code) {
        return landscape.a.log().contains(code) || landscape.b.log().contains(code);
    }
}
