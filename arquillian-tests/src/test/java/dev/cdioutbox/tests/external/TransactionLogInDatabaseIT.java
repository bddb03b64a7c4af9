package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.awaitLog;
import static dev.cdioutbox.tests.external.Landscape.secondsSince;
import static dev.cdioutbox.tests.external.Landscape.tell;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.PostgresServer;
import dev.cdioutbox.tests.server.Trap.Place;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two servers keep their transaction logs in a database, which is not that of the outbox, as
 * docs/howto/several-nodes-and-kubernetes.md describes it.
 */
@Tag("chaos")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class TransactionLogInDatabaseIT {
    private static final Pattern ELEMENT = Pattern.compile("(?s)<transaction recoveryGroup.*?</transaction>");
    private static final String PREPARED = "SELECT gid FROM pg_prepared_xacts";
    private static final List<Place> PLACES = List.of(Place.COMMIT, Place.COMMITTED, Place.PREPARED);

    private final PostgresServer logs = new PostgresServer().start(0);
    private Landscape landscape;
    private Ledger ledger;

    private void start(UnaryOperator<String> way) throws IOException {
        // The owner of the logs may create tables in this schema and do nothing else.
        logs.update("CREATE ROLE shop LOGIN PASSWORD 'secret'");
        logs.update("CREATE SCHEMA shop AUTHORIZATION shop");
        logs.update("REVOKE ALL ON SCHEMA public FROM PUBLIC");

        Path page = Path.of(System.getProperty("project.root"), "docs", "howto", "several-nodes-and-kubernetes.md");
        Matcher element = ELEMENT.matcher(Files.readString(page));
        assertThat(element.find()).isTrue();
        landscape = new Landscape("logs", new PostgresServer().start(Landscape.PREPARED_TRANSACTIONS));
        for (LibertyServer server : List.of(landscape.a, landscape.b)) {
            server.withElement(way.apply(element.group())
                    .replace("${env.HOSTNAME}", server.name().replace("-", ""))
                    .replace("${env.SHOP_DB_PASSWORD}", "secret")
                    .replace(
                            "serverName=\"db\" databaseName=\"shop\"",
                            "serverName=\"localhost\" portNumber=\"%d\" databaseName=\"postgres\""
                                    .formatted(logs.port())));
        }
        landscape.start();
        ledger = new Ledger(landscape);
    }

    @AfterEach
    void stop() {
        if (landscape != null) {
            landscape.close();
        }
        logs.close();
    }

    @Test
    void aServerRecoversItselfWhenItIsStartedAgain() throws IOException {
        start(element -> element.replace("recoveryGroup=\"shop\" recoveryIdentity=", "transactionLogDBTableSuffix="));
        for (Place place : PLACES) {
            killAndRecover(landscape.a, landscape.b, place, landscape.a::start);
        }
    }

    @Test
    void anotherServerRecoversOneThatIsGone() throws IOException {
        start(UnaryOperator.identity());
        for (Place place : PLACES) {
            LibertyServer victim = place == Place.COMMITTED ? landscape.b : landscape.a;
            LibertyServer survivor = victim == landscape.a ? landscape.b : landscape.a;
            int before = survivor.log().length();
            killAndRecover(victim, survivor, place, () -> awaitLog(survivor, before, "CWRLS0011I"));
            victim.start();
        }
    }

    private void killAndRecover(LibertyServer victim, LibertyServer survivor, Place place, Runnable recovery) {
        List<String> acknowledged;
        try (Traffic traffic = new Traffic(landscape.sampleOfA, landscape.sampleOfB)) {
            landscape.killAt(place, victim, survivor);
            long start = System.nanoTime();
            List<String> doubt = landscape.database.query(PREPARED);
            int ofBroker = landscape.broker.inDoubt();
            recovery.run();
            await("the broker has nothing in doubt").atMost(LONG).until(() -> landscape.broker.inDoubt() == 0);
            await("nothing is in doubt").atMost(LONG).until(() -> landscape.database.query(PREPARED).stream()
                    .noneMatch(doubt::contains));
            tell(
                    "%s: %d in doubt in the database, %d in the broker; none after %.1f s",
                    place, doubt.size(), ofBroker, secondsSince(start));
            acknowledged = traffic.acknowledged();
        }
        ledger.assertNothingIsLostDoubledOrOvertaken(acknowledged);
    }

    /** Ten seconds are shorter than the lease of a member, and ninety seconds are longer. */
    @Test
    void nothingIsLostDoubledOrOvertakenWhileTheLogsCannotBeReached() throws IOException {
        start(UnaryOperator.identity());
        for (Duration outage : List.of(Duration.ofSeconds(10), Duration.ofSeconds(90))) {
            landscape.pile(1000);
            await("a batch is sent").atMost(LONG).until(() -> !landscape
                    .database
                    .query("SELECT 1 FROM outbox_message_view WHERE status = 'PUBLISHED' AND seq >"
                            + " (SELECT max(seq) - 1000 FROM outbox_message) LIMIT 1")
                    .isEmpty());
            logs.stop();
            // A transaction with one resource needs no log.
            String order = landscape.sampleOfA.placeOrder();
            await("the end of the outage")
                    .pollDelay(outage)
                    .atMost(outage.plus(LONG))
                    .until(() -> true);
            logs.start(0);
            long start = System.nanoTime();
            ledger.assertNothingIsLostDoubledOrOvertaken(List.of(order + " OrderPlaced"));
            tell("logs back after %d s: all is there after %.1f s", outage.toSeconds(), secondsSince(start));
        }
    }
}
