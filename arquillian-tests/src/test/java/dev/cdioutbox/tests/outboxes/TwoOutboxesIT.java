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

import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxOperations;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.container.ServerLog;
import dev.cdioutbox.tests.rollout.Switches;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.ManagedServer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One application, two DataSources, an outbox and a dispatcher on each. */
@ExtendWith(ArquillianExtension.class)
class TwoOutboxesIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Resource(lookup = "java:comp/DefaultDataSource")
    DataSource orders;

    @Resource(lookup = "jdbc/billing")
    DataSource billing;

    @Inject
    Counter counter;

    @Inject
    OutboxOperations outbox;

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
                        "outbox.outboxes.billing.routes.InvoiceIssued=ledger")
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
            assertThat(other.discard(mine)).isEqualTo(1);
            assertThat(statuses(outbox)).containsExactly(OutboxStatus.PUBLISHED);
        } finally {
            assertThat(other.resume("ledger")).isTrue();
        }
    }

    @Test
    void changeIsToldWithTheOutboxAndTheKeyThatWasSet() {
        ServerLog log = new ServerLog();
        try (Switches switches = new Switches()) {
            switches.turn(Map.of("outbox.outboxes.billing.dispatcher.interval", "PT3S"));
            await().atMost(SOON).until(() -> !log.lines("OBX-0408").isEmpty());
            assertThat(log.lines("OBX-0408"))
                    .singleElement()
                    .asString()
                    .contains("the outbox 'billing': outbox.outboxes.billing.dispatcher.interval is now PT3S");
        }
        await().atMost(SOON).until(() -> log.lines("OBX-0408").size() == 2);
        assertThat(log.lines("the outbox 'billing': outbox.dispatcher.interval is now PT5S"))
                .hasSize(1);
    }

    @Test
    @RunAsClient
    void metricsTellThemApart() {
        String metrics =
                Http.get(ManagedServer.url("/metrics?scope=application")).body();

        assertThat(metrics.lines().filter(line -> line.startsWith("outbox_published_total")))
                .anyMatch(line -> line.contains("destination=\"default\""))
                .anyMatch(line -> line.contains("destination=\"billing/ledger\""));
    }

    private List<OutboxStatus> statuses(OutboxOperations operations) {
        return operations.find(mine).stream().map(m -> m.delivery().status()).toList();
    }

    private List<String> types(DataSource database, String table) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("SELECT event_type FROM " + table + " WHERE message_key = ?")) {
            select.setString(1, order);
            List<String> types = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    types.add(rows.getString(1));
                }
            }
            return types;
        }
    }
}
