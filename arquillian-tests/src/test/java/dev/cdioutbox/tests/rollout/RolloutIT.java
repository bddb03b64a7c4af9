package dev.cdioutbox.tests.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.rollout.Inbox.ReceivedMessage;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every sale is sent once and in order during each step of docs/rollout.md, and on the way back. */
@ExtendWith(ArquillianExtension.class)
class RolloutIT {
    private static final Duration SOON = Duration.ofMinutes(4);
    private static final String ENABLED = "outbox.dispatcher.enabled";
    private static final String SHADOW = "outbox.dispatcher.shadow-destination";

    /** The rows that only one of the two tables has. */
    private static final String ONLY_OLD = "SELECT o.id FROM old_outbox o LEFT JOIN outbox_message_view m"
            + " ON m.correlation_id = o.id WHERE m.seq IS NULL OR o.payload <> m.payload";

    private static final String ONLY_NEW = "SELECT m.message_id FROM outbox_message_view m LEFT JOIN old_outbox o"
            + " ON o.id = m.correlation_id WHERE m.application = 'rollout' AND o.nr IS NULL";

    /** The rows of a key that the two tables have in another order. */
    private static final String OTHER_ORDER = "SELECT o.nr FROM"
            + " (SELECT nr, id, ROW_NUMBER() OVER (PARTITION BY basket ORDER BY nr) AS place FROM old_outbox) o JOIN"
            + " (SELECT correlation_id, ROW_NUMBER() OVER (PARTITION BY message_key ORDER BY seq) AS place"
            + "  FROM outbox_message_view WHERE application = 'rollout') m ON m.correlation_id = o.id"
            + " WHERE o.place <> m.place";

    private static final String STILL_TO_BE_SENT_BY_THE_OLD =
            "SELECT o.nr FROM old_outbox o WHERE o.sent = 0" + OldPublisher.IF_SHADOWED;

    @Inject
    Till till;

    @Inject
    OldTables tables;

    @Inject
    Inbox inbox;

    @Inject
    OutboxOperations outbox;

    private final List<String> baskets =
            Stream.generate(() -> UUID.randomUUID().toString()).limit(6).toList();
    private final List<ReceivedMessage> arrived = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean closed = new AtomicBoolean();

    @Deployment
    static WebArchive tests() {
        return Deployments.empty(
                        "outbox.application=rollout",
                        "outbox.destinations.default.jndi=jms/rollout",
                        "outbox.dispatcher.enabled=false",
                        "outbox.dispatcher.interval=PT1S")
                .addPackage(RolloutIT.class.getPackage());
    }

    @Test
    void everySaleIsSentOnceAndInOrderOnTheWholeWayAndBack() throws Exception {
        tables.create(baskets);
        OldPublisher.sendAll();
        List<Future<?>> business = new ArrayList<>();
        try (Switches switches = new Switches()) {
            for (int clerk = 0; clerk < 3; clerk++) {
                business.add(threads.submit(this::sell));
            }
            // Accumulate: the old publisher sends, and the outbox only stores.
            awaitArrivals(40, true);
            assertThat(outbox.shadowed()).isEmpty();
            assertThat(outbox.find(OutboxFilter.all(), OutboxPageRequest.of(1))).hasSize(1);

            // Shadow: the old publisher sends, and the outbox marks the messages.
            switches.turn(Map.of(SHADOW, "discard", ENABLED, "true"));
            await().atMost(SOON).until(() -> !outbox.shadowed().isEmpty());
            awaitArrivals(40, true);
            assertThat(tables.query(ONLY_OLD)).isEmpty();
            assertThat(tables.query(ONLY_NEW)).isEmpty();
            assertThat(tables.query(OTHER_ORDER)).isEmpty();
            assertThat(outbox.find(OutboxFilter.all().withShadowed(true)))
                    .isNotEmpty()
                    .allSatisfy(message ->
                            assertThat(message.delivery().shadowDestination()).isEqualTo("discard"));

            // From here on the mark decides which publisher sends.
            OldPublisher.sendWhatIsShadowed();
            awaitArrivals(40, true);

            // Cut-over: the outbox marks no more messages. The old publisher ends at the highest mark, and the outbox
            // begins behind it.
            switches.turn(Map.of(ENABLED, "false"));
            long last = awaitLastMark();
            await().atMost(SOON)
                    .until(() -> tables.query(STILL_TO_BE_SENT_BY_THE_OLD).isEmpty());
            switches.turn(Map.of(SHADOW, "", ENABLED, "true"));
            awaitArrivals(40, false);
            assertThat(outbox.shadowed()).containsExactly(Map.entry("default", last));

            // Back: the old publisher sends each marked message again.
            switches.turn(Map.of(SHADOW, "discard"));
            await().atMost(SOON).until(() -> outbox.shadowed().get("default") > last);
            awaitArrivals(40, true);

            closed.set(true);
            for (Future<?> clerk : business) {
                clerk.get();
            }
            await().atMost(SOON).until(this::allArrived);
        } finally {
            closed.set(true);
            threads.shutdown();
            OldPublisher.stop();
        }
        for (String basket : baskets) {
            assertThat(arrived.stream().filter(a -> a.basket().equals(basket)).map(ReceivedMessage::number))
                    .containsExactlyElementsOf(
                            IntStream.rangeClosed(1, sales(basket)).boxed().toList());
        }
    }

    private void sell() {
        int turn = 0;
        while (!closed.get()) {
            till.sell(baskets.get(turn++ % baskets.size()));
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Waits for this number of further messages from one of the two publishers. */
    private void awaitArrivals(int messages, boolean fromTheOld) {
        long before = count(fromTheOld);
        await().atMost(SOON).until(() -> {
            arrived.addAll(inbox.take());
            return count(fromTheOld) >= before + messages;
        });
    }

    private long count(boolean fromTheOld) {
        return arrived.stream().filter(a -> a.fromTheOld() == fromTheOld).count();
    }

    /** Reads the highest mark from the log, as an operator does. */
    private static long awaitLastMark() {
        Pattern line = Pattern.compile("OBX-0432: destination 'default'.*highest shadowed sequence is (\\d+);");
        await().atMost(SOON).until(() -> line.matcher(log()).find());
        return line.matcher(log())
                .results()
                .map(m -> Long.parseLong(m.group(1)))
                .reduce((a, b) -> b)
                .orElseThrow();
    }

    private static String log() {
        try {
            return Files.readString(Path.of(
                    System.getProperty(
                            "com.ibm.ws.logging.log.directory", System.getProperty("server.output.dir") + "/logs"),
                    "messages.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean allArrived() {
        arrived.addAll(inbox.take());
        return arrived.size() >= baskets.stream().mapToInt(this::sales).sum();
    }

    private int sales(String basket) {
        return Integer.parseInt(tables.query("SELECT sales FROM basket WHERE id = ?", basket)
                .get(0)
                .get(0));
    }
}
