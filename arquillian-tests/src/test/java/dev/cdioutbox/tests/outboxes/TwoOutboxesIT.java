package dev.cdioutbox.tests.outboxes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.ejb.Dispatchers;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.container.ServerLog;
import dev.cdioutbox.tests.rollout.Switches;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.ManagedServer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One application has two outboxes on two DataSources. Each has its own dispatcher, operations, metrics, inbox and
 * settings.
 */
@ExtendWith(ArquillianExtension.class)
class TwoOutboxesIT {
    private static final Duration SOON = Duration.ofMinutes(4);
    private static final String BOOKED = "SELECT note FROM book WHERE note = ?";

    @Resource(lookup = "java:comp/DefaultDataSource")
    DataSource orders;

    @Resource(lookup = "jdbc/billing")
    DataSource billing;

    @Inject
    Counter counter;

    @Inject
    Bookkeeper bookkeeper;

    @Inject
    OutboxOperations outbox;

    @Inject
    Dispatchers dispatch;

    private final String order = UUID.randomUUID().toString();
    private final OutboxFilter mine = OutboxFilter.all().withKey(order);

    @Deployment
    static WebArchive tests() {
        return Deployments.named(
                        "outboxes-tests.war",
                        "outbox.application=outboxes-tests",
                        "outbox.outboxes.billing.datasource=jdbc/billing",
                        "outbox.outboxes.billing.table-prefix=bill_",
                        "outbox.outboxes.billing.destinations.ledger.jndi=jms/capture",
                        "outbox.outboxes.billing.destinations.ledger.time-to-live=PT1M",
                        "outbox.outboxes.billing.destinations.ledger.dispatcher.delivery=at-least-once",
                        "outbox.outboxes.billing.routes.InvoiceIssued=ledger",
                        "outbox.outboxes.billing.retention.inbox=P2D")
                .addPackage(TwoOutboxesIT.class.getPackage())
                .addClasses(ServerLog.class, Switches.class);
    }

    @Test
    void eachEventIsStoredInItsOwnAndSentFromThere() throws SQLException {
        counter.sell(order);

        assertThat(types(orders, "outbox_message")).containsExactly("OrderTaken");
        assertThat(types(billing, "bill_message")).containsExactly("InvoiceIssued");
        await().atMost(SOON)
                .until(() -> statuses(outbox).equals(List.of(OutboxStatus.PUBLISHED))
                        && statuses(outbox.outbox("billing")).equals(List.of(OutboxStatus.PUBLISHED)));
    }

    @Test
    void rollbackTakesBothBack() throws SQLException {
        counter.sellAndRollBack(order);

        assertThat(types(orders, "outbox_message")).isEmpty();
        assertThat(types(billing, "bill_message")).isEmpty();
    }

    @Test
    void eachIsSteeredByItself() {
        OutboxOperations other = outbox.outbox("billing");
        assertThat(outbox.outbox("default").status().readAt()).isNotNull();
        assertThatThrownBy(() -> other.pause("default-of-nobody")).hasMessageStartingWith("OBX-0601");
        assertThatThrownBy(() -> outbox.pause("ledger")).hasMessageStartingWith("OBX-0601");
        assertThatThrownBy(() -> outbox.outbox("nobody's")).hasMessageStartingWith("OBX-0603");

        assertThat(other.pause("ledger")).isTrue();
        try {
            assertThat(outbox.status().paused()).isEmpty();
            counter.sell(order);
            await().atMost(SOON).until(() -> statuses(outbox).equals(List.of(OutboxStatus.PUBLISHED)));
            assertThat(statuses(other)).containsExactly(OutboxStatus.PENDING);
            assertThat(other.discard(mine, OutboxPageRequest.of(1)).changed()).isEqualTo(1);
            assertThat(statuses(outbox)).containsExactly(OutboxStatus.PUBLISHED);
        } finally {
            assertThat(other.resume("ledger")).isTrue();
        }
    }

    @Test
    void destinationIsSwitchedOffByItself() {
        ServerLog log = new ServerLog();
        try (Switches switches = new Switches()) {
            switches.turn(Map.of(
                    "outbox.outboxes.billing.destinations.ledger.dispatcher.enabled", "false",
                    "outbox.outboxes.billing.destinations.ledger.dispatcher.interval", "PT3S"));
            await().atMost(SOON).until(() -> log.lines("OBX-0408").size() == 2);
            assertThat(log.lines("destination 'billing/ledger': dispatcher.enabled is now false"))
                    .hasSize(1);
            assertThat(log.lines("destination 'billing/ledger': dispatcher.interval is now PT3S"))
                    .hasSize(1);
            counter.sell(order);
            await().atMost(SOON).until(() -> statuses(outbox).equals(List.of(OutboxStatus.PUBLISHED)));
            assertThat(statuses(outbox.outbox("billing"))).containsExactly(OutboxStatus.PENDING);
        }
        await().atMost(SOON).until(() -> statuses(outbox.outbox("billing")).equals(List.of(OutboxStatus.PUBLISHED)));
    }

    @Test
    void neighboursHaveDifferentGuarantees() {
        assertThat(ServerLog.whole("OBX-0420: destination 'default': exactly-once"))
                .isNotEmpty();
        assertThat(ServerLog.whole("OBX-0420: destination 'billing/ledger': at-least-once"))
                .isNotEmpty();
    }

    @Test
    @RunAsClient
    void metricsDistinguishThem() {
        String metrics =
                Http.get(ManagedServer.url("/metrics?scope=application")).body();

        assertThat(metrics.lines().filter(line -> line.startsWith("outbox_published_total")))
                .anyMatch(line -> line.contains("destination=\"default\""))
                .anyMatch(line -> line.contains("destination=\"billing/ledger\""));
    }

    @Test
    void consumerNotesMessagesWhereItsWorkIs() throws SQLException {
        openBooks();
        assertThat(bookkeeper.book(order, order)).isTrue();
        assertThat(bookkeeper.book(order, order)).isFalse();

        assertThat(texts(billing, BOOKED)).containsExactly(order);
        assertThat(texts(billing, "SELECT consumer FROM bill_inbox WHERE message_id = ?"))
                .containsExactly("books");
        assertThat(texts(orders, "SELECT consumer FROM outbox_inbox WHERE message_id = ?"))
                .isEmpty();
    }

    @Test
    void consumersOfOneNameInTwoOutboxesAreTwo() throws SQLException {
        openBooks();
        assertThat(bookkeeper.bookForBoth(order, order)).isTrue();
        assertThat(bookkeeper.bookForBoth(order, order)).isFalse();
        assertThat(bookkeeper.book(order, order)).isFalse();

        assertThat(texts(billing, BOOKED)).containsExactly(order);
    }

    @Tag("full")
    @Test
    void eachInboxIsPurgedAfterARetentionOfItsOwn() throws SQLException {
        openBooks();
        bookkeeper.bookForBoth(order, order);
        String threeDaysOld = "UPDATE %s SET received_at = DATEADD(DAY, -3, CURRENT_TIMESTAMP) WHERE message_id = ?";
        update(orders, threeDaysOld.formatted("outbox_inbox"), order);
        update(billing, threeDaysOld.formatted("bill_inbox"), order);

        await().atMost(SOON).until(() -> {
            dispatch.purge();
            return texts(billing, "SELECT consumer FROM bill_inbox WHERE message_id = ?")
                    .isEmpty();
        });
        assertThat(texts(orders, "SELECT consumer FROM outbox_inbox WHERE message_id = ?"))
                .containsExactly("books");
    }

    private void openBooks() throws SQLException {
        update(billing, "CREATE TABLE IF NOT EXISTS book (note VARCHAR(64))");
    }

    private List<OutboxStatus> statuses(OutboxOperations operations) {
        return operations.find(mine).stream().map(m -> m.delivery().status()).toList();
    }

    private List<String> types(DataSource database, String table) throws SQLException {
        return texts(database, "SELECT event_type FROM " + table + " WHERE message_key = ?");
    }

    private List<String> texts(DataSource database, String select) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement query = connection.prepareStatement(select)) {
            query.setString(1, order);
            List<String> texts = new ArrayList<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    texts.add(rows.getString(1));
                }
            }
            return texts;
        }
    }

    private static void update(DataSource database, String sql, Object... parameters) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement update = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                update.setObject(i + 1, parameters[i]);
            }
            update.executeUpdate();
        }
    }
}
