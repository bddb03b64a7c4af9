package dev.cdioutbox.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;

import dev.cdioutbox.MessagePublished;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxNode;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.testing.CapturedEvents;
import dev.cdioutbox.testing.OutboxWait;
import dev.cdioutbox.tests.server.QueuedMessages;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/** Metrics, health, log and events of the application agree with the table. */
@ExtendWith(ArquillianExtension.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ObservedIT {
    private static final Duration SOON = Duration.ofMinutes(4);

    @Inject
    Shop shop;

    @Inject
    OutboxOperations outbox;

    @Inject
    EventObserver observer;

    @Inject
    CapturedEvents recorded;

    @Inject
    HttpServletRequest request;

    @Resource(lookup = "java:comp/DefaultDataSource")
    DataSource database;

    private final String order = UUID.randomUUID().toString();
    private final OutboxFilter mine = OutboxFilter.all().withKey(order);
    private Scrape scrape;

    @Deployment
    static WebArchive tests() {
        return Deployments.withTestKit(Deployments.tests(
                        "outbox.application=observed", "outbox.dispatcher.interval=PT1S", "outbox.health.max-age=PT3S"))
                .addClass(QueuedMessages.class);
    }

    @BeforeEach
    void begin() {
        scrape = new Scrape(request.getLocalPort());
    }

    @AfterEach
    void leaveNothingWaiting() {
        outbox.discard(mine, OutboxPageRequest.of(100));
    }

    /** For quantiles, Liberty would keep 440 KB for each timer. */
    @Test
    void timersHaveBucketsAndNoQuantiles() {
        shop.ship(order, 1);
        await().atMost(SOON).until(() -> scrape.sum("outbox_publish_seconds_count", "destination=\"default\"") > 0);

        assertThat(scrape.metrics().keySet())
                .anyMatch(series -> series.startsWith("outbox_publish_seconds_bucket{"))
                .anyMatch(series -> series.startsWith("outbox_delivery_latency_seconds_bucket{"))
                .anyMatch(series -> series.startsWith("outbox_claim_seconds_bucket{"))
                .noneMatch(series -> series.contains("quantile="));
    }

    @Test
    void metricsShowTheTablesContent() throws SQLException {
        double captured = scrape.sum("outbox_captured_total", "");
        double published = scrape.sum("outbox_published_total", "");
        double abandoned = scrape.sum("outbox_abandoned_total", "");
        double failures = scrape.sum("outbox_publish_failures_total", "destination=\"default\"");
        double latencies = scrape.sum("outbox_delivery_latency_seconds_sum", "destination=\"default\"");
        outbox.pause("default");
        try {
            shop.ship(order, 3);
            shop.park(order);
            shop.park(order);
            insertUnreadable();
            // Old enough that the test notices an age of zero, or one in the wrong unit.
            await().atMost(SOON)
                    .until(() -> number(
                                    "SELECT COUNT(*) FROM outbox_message WHERE message_key = '" + order
                                            + "' AND destination = 'default' AND created_at < DATEADD('SECOND', -2, CURRENT_TIMESTAMP)")
                            == 4);
        } finally {
            outbox.resume("default");
        }
        await().atMost(SOON).until(() -> count("PUBLISHED") == 3 && count("ABANDONED") == 1);

        await().atMost(SOON).untilAsserted(() -> {
            assertThat(scrape.sum("outbox_messages", "state=\"pending\"")).isEqualTo(all("PENDING"));
            assertThat(scrape.sum("outbox_messages", "state=\"failed\"")).isEqualTo(all("FAILED"));
            assertThat(scrape.sum("outbox_messages", "state=\"abandoned\"")).isEqualTo(all("ABANDONED"));
            assertThat(scrape.sum("outbox_published_total", "")).isEqualTo(published + count("PUBLISHED"));
            assertThat(scrape.sum("outbox_abandoned_total", "")).isEqualTo(abandoned + count("ABANDONED"));
        });
        assertThat(scrape.sum("outbox_captured_total", ""))
                .isEqualTo(captured
                        + number("SELECT COUNT(*) FROM outbox_message WHERE message_key = '" + order
                                + "' AND event_type <> 'broken'"));
        assertThat(scrape.sum("outbox_publish_failures_total", "destination=\"default\""))
                .isEqualTo(failures + 1);
        assertThat(scrape.sum("outbox_delivery_latency_seconds_count", "destination=\"default\""))
                .isEqualTo(scrape.sum("outbox_published_total", "destination=\"default\""));
        // A worker reads the database's clock once and then adds the JVM's elapsed time. The two clocks may differ by
        // the
        // time that the claim and the sends took.
        double slack = 3
                * (scrape.sum("outbox_claim_seconds_sum", "destination=\"default\"")
                        + scrape.sum("outbox_publish_seconds_sum", "destination=\"default\""));
        assertThat(scrape.sum("outbox_delivery_latency_seconds_sum", "destination=\"default\"") - latencies)
                .isCloseTo(
                        number("SELECT SUM(DATEDIFF('MILLISECOND', created_at, published_at)) / 1000.0"
                                + " FROM outbox_message_view WHERE message_key = '" + order
                                + "' AND status = 'PUBLISHED'"),
                        within(slack))
                .isGreaterThan(6.0 - slack);
        double age = number("SELECT DATEDIFF('MILLISECOND', MIN(created_at), CURRENT_TIMESTAMP) / 1000.0"
                + " FROM outbox_message_view WHERE application = 'observed' AND status IN ('PENDING', 'FAILED')");
        assertThat(scrape.sum("outbox_oldest_pending_age_seconds", "")).isBetween(age - 1, age + 60);
        assertThat(scrape.sum("outbox_paused", "")).isZero();
    }

    /** Last, since its heartbeat comes every 10 s. */
    @Order(Integer.MAX_VALUE)
    @Test
    void thisNodeIsShownAsTheOneThatDispatches() {
        await().atMost(SOON).untilAsserted(() -> assertThat(outbox.nodes())
                .filteredOn(OutboxNode::isAlive)
                .singleElement()
                .satisfies(node -> {
                    assertThat(node.process()).isEqualTo(ProcessHandle.current().pid());
                    assertThat(node.server()).startsWith("arquillian-");
                    assertThat(node.lastSeenAt())
                            .as("it was seen again after its start")
                            .isAfter(node.startedAt());
                }));
    }

    @Test
    void everyMetricIsThereFromTheStart() {
        assertThat(scrape.metrics().keySet().stream()
                        .map(series -> series.substring(0, series.indexOf('{')))
                        .distinct())
                .contains(
                        "outbox_published_total",
                        "outbox_publish_failures_total",
                        "outbox_failed_runs_total",
                        "outbox_retries_total",
                        "outbox_abandoned_total",
                        "outbox_expired_total",
                        "outbox_messages",
                        "outbox_oldest_pending_age_seconds",
                        "outbox_last_tick_age_seconds",
                        "outbox_partitions_held",
                        "outbox_store_age_seconds",
                        "outbox_paused",
                        "outbox_claim_seconds_count",
                        "outbox_publish_seconds_count",
                        "outbox_delivery_latency_seconds_count");
        // No test in this class fires this event, and its counter must exist too.
        assertThat(scrape.metrics().keySet())
                .anyMatch(series -> series.startsWith("outbox_captured_total{") && series.contains("Unwritable"));
    }

    /** An alert uses this counter for each destination. */
    @Test
    void runsThatFailAreCountedWhereTheyDo() {
        double before = scrape.sum("outbox_failed_runs_total", "destination=\"absent\"");
        await().atMost(SOON)
                .until(() -> scrape.sum("outbox_failed_runs_total", "destination=\"absent\"") >= before + 2);
        assertThat(scrape.sum("outbox_failed_runs_total", "destination=\"default\""))
                .isZero();
    }

    @Tag("full")
    @Test
    void storeIsRedWhileATableIsGoneAndTheServerIsNotRestartedForIt() throws SQLException {
        await().atMost(SOON).until(() -> scrape.isUp("ready", "outbox-store"));
        update("ALTER TABLE outbox_audit RENAME TO outbox_elsewhere");
        try {
            await().atMost(SOON).until(() -> !scrape.isUp("ready", "outbox-store"));
            assertThat(scrape.check("ready", "outbox-store")
                            .getJsonObject("data")
                            .getString("problem"))
                    .startsWith("OBX-03");
            // A message of another test may have waited when the backlog was read last.
            await().atMost(SOON).until(() -> scrape.isUp("ready", "outbox-backlog"));
            assertThat(scrape.isUp("live", "outbox-dispatcher")).isTrue();
        } finally {
            update("ALTER TABLE outbox_elsewhere RENAME TO outbox_audit");
        }
        await().atMost(SOON).until(() -> scrape.isUp("ready", "outbox-store"));
    }

    @Test
    void backlogIsRedWhileAMessageWaitsTooLongAndAPauseLeavesTheServerAlive() {
        outbox.pause("*");
        try {
            shop.park(order);
            await().atMost(SOON).until(() -> !scrape.isUp("ready", "outbox-backlog"));
            assertThat(scrape.check("ready", "outbox-backlog")
                            .getJsonObject("data")
                            .getInt("oldest-pending-age-seconds"))
                    .isGreaterThanOrEqualTo(3);
            assertThat(scrape.sum("outbox_paused", "")).isEqualTo(1);
            assertThat(scrape.isUp("ready", "outbox-store")).isTrue();
            assertThat(scrape.isUp("live", "outbox-dispatcher")).isTrue();
        } finally {
            outbox.resume("*");
        }
        assertThat(outbox.discard(mine, OutboxPageRequest.of(100)).changed()).isEqualTo(1);
        await().atMost(SOON).until(() -> scrape.isUp("ready", "outbox-backlog"));
    }

    @Test
    void lifeOfAMessageIsInTheLogInOneLineForEachStepAndWithoutItsPayload() throws SQLException {
        ServerLog log = new ServerLog();
        String refused = UUID.randomUUID().toString();
        String secret = "secret " + UUID.randomUUID();
        outbox.pause("default");
        try {
            shop.ship(order, secret);
            insertRefused(refused);
        } finally {
            outbox.resume("default");
        }
        await().atMost(SOON)
                .until(() -> count("PUBLISHED") == 1
                        && !log.lines("outbox_event_id=" + refused).isEmpty());
        assertThat(outbox.discard(OutboxFilter.all().withKey(order + "-refused"), OutboxPageRequest.of(100))
                        .changed())
                .isEqualTo(1);
        assertThat(outbox.replay(mine, OutboxPageRequest.of(100)).changed()).isEqualTo(1);

        assertThat(log.lines("outbox_event_id=" + refused))
                .singleElement()
                .asString()
                .contains("OBX-0405: message " + refused, "outbox_action=abandoned", "event_type=order.shipped")
                .contains("retry_count=1", "duration_ms=", "error_message=", "destination=default");
        assertThat(log.lines("OBX-0602: discard by ", " changed 1: ")).hasSize(1);
        await().atMost(SOON).until(() -> count("PUBLISHED") == 1);
        assertThat(outbox.replayAsNew(mine, OutboxPageRequest.of(100)).changed())
                .isEqualTo(1);
        assertThat(log.lines("OBX-0602: replay by ", " changed 1: ")).hasSize(1);
        assertThat(log.lines("OBX-0602: replay-as-new by ", " changed 1: ")).hasSize(1);
        assertThat(log.lines("outbox_action=created"))
                .as("a busy system is quiet")
                .isEmpty();
        assertThat(log.lines("outbox_action=published")).isEmpty();
        assertThat(log.lines(secret)).isEmpty();
    }

    @Test
    void applicationObservesWhatBecameOfItsMessagesWithoutHoldingUpDispatch() throws SQLException {
        String refused = UUID.randomUUID().toString();
        outbox.pause("default");
        try {
            shop.ship(order, 3);
            insertRefused(refused, 1);
        } finally {
            outbox.resume("default");
        }
        OutboxWait.on(outbox).atMost(SOON).untilDrained();
        assertThat(OutboxWait.on(outbox).atMost(SOON).untilAbandoned(order + "-refused"))
                .contains("no name");
        assertThat(OutboxWait.on(database, "outbox_", "observed").atMost(SOON).untilAbandoned(order + "-refused"))
                .contains("no name");
        OutboxWait.on(database, "outbox_", "observed").untilDrained();

        await().atMost(SOON).until(() -> observer.publishedOf(order).size() == 3);
        await().atMost(SOON)
                .until(() -> observer.abandonedOf(order + "-refused").size() == 1);
        assertThat(observer.publishedOf(order))
                .extracting(MessagePublished::sequence)
                .isSorted();
        assertThat(observer.publishedOf(order))
                .allSatisfy(event -> assertThat(event.publishedAt()).isAfterOrEqualTo(event.createdAt()));
        assertThat(observer.abandonedOf(order + "-refused"))
                .singleElement()
                .satisfies(event -> assertThat(event.id()).hasToString(refused))
                .satisfies(event -> assertThat(event.error()).contains("no name"));
        assertThat(observer.transactions()).isEmpty();
        assertThat(outbox.discard(OutboxFilter.all().withKey(order + "-refused"), OutboxPageRequest.of(100))
                        .changed())
                .isEqualTo(1);
    }

    /** A recorder in the place of the outbox would lose every event. */
    @Test
    void testKitInADeployedApplicationRecordsNothing() {
        assertThatThrownBy(recorded::all).isInstanceOf(IllegalStateException.class);
    }

    /** Inserts a message with a property name that JMS refuses, behind the only message, in its partition. */
    private void insertRefused(String id) throws SQLException {
        insertRefused(id, 0);
    }

    /** The same behind the message of the given step; 0 if there is one message only. */
    private void insertRefused(String id, int step) throws SQLException {
        enqueue("SELECT '" + id + "', application, event_type, 1, message_key || '-refused', partition_id, destination,"
                + " content_type, payload, payload_bytes, '{\"no name\":\"x\"}', CURRENT_TIMESTAMP"
                + " FROM outbox_message WHERE message_key = '" + order + "'"
                + (step == 0 ? "" : " AND payload LIKE '%\"step\":" + step + "}'"));
    }

    /** Inserts a message with headers that the claim cannot read. The dispatcher abandons it. */
    private void insertUnreadable() throws SQLException {
        enqueue("SELECT '" + UUID.randomUUID() + "', application, 'broken', 1, '" + order
                + "', id, destination, 'text/plain', '', 0, 'no headers', CURRENT_TIMESTAMP"
                + " FROM outbox_partition WHERE application = 'observed' AND destination = 'default'"
                + " AND partition_no = 2");
    }

    private void enqueue(String select) throws SQLException {
        update(QueuedMessages.onH2("INSERT INTO outbox_message (message_id, application, event_type, schema_version,"
                + " message_key, partition_id, destination, content_type, payload, payload_bytes, headers, occurred_at) "
                + select));
    }

    private double count(String status) throws SQLException {
        return number("SELECT COUNT(*) FROM outbox_message_view WHERE message_key = '" + order + "' AND status = '"
                + status + "'");
    }

    private double all(String status) throws SQLException {
        return number("SELECT COUNT(*) FROM outbox_message_view WHERE application = 'observed' AND status = '" + status
                + "'");
    }

    private double number(String query) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement select = connection.createStatement();
                ResultSet row = select.executeQuery(query)) {
            row.next();
            return row.getDouble(1);
        }
    }

    private void update(String statement) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement update = connection.createStatement()) {
            update.execute(statement);
        }
    }
}
