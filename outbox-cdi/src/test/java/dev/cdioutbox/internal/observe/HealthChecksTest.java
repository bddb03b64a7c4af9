package dev.cdioutbox.internal.observe;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.dispatch.listener.SlotReading;
import dev.cdioutbox.internal.outbox.LazyStore;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.BacklogReader.Backlog;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.spi.DestinationId;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponse.Status;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards that each check goes down for its own cause only, and up again. */
@Tag("database")
class HealthChecksTest {
    private static final DestinationId DEFAULT = ofDefaultOutbox("default");

    private static final Instant READ_AT = Instant.parse("2026-11-21T10:00:00Z");

    private final AtomicLong nanos = new AtomicLong();
    private final Gauges gauges = new Gauges(nanos::get);
    private final HealthChecks checks = new HealthChecks();

    HealthChecksTest() {
        checks.gauges = gauges;
        checks.config = new CurrentConfig(TestConfig.of());
        checks.outboxes = new Outboxes(List.of());
    }

    @BeforeAll
    static void answerWithoutAServer() {
        HealthCheckResponse.setResponseProvider(Builder::new);
    }

    @Test
    void livenessIsRedOnlyWhileTheTimerDoesNotCall() {
        HealthCheck liveness = checks.dispatcher();
        gauges.expectTicks(OutboxConfig.DEFAULT_OUTBOX);
        assertUp(liveness.call());

        gauges.storeChecked("default", "the table is gone");
        gauges.backlog("default", backlog(10_000, READ_AT.minusSeconds(100_000), Set.of("*")));
        gauges.failed(DEFAULT, 500, new IllegalStateException("broker"));
        pass(59);
        assertUp(liveness.call());

        pass(2);
        assertDown(liveness.call());
        assertThat(data(liveness.call())).containsEntry("last-tick-age-seconds", 61L);

        gauges.ticked();
        assertUp(liveness.call());
    }

    @Test
    void livenessOfAnApplicationThatOnlyCapturesIsGreen() {
        HealthCheck liveness = checks.dispatcher();
        pass(1_000);

        assertUp(liveness.call());
        assertThat(data(liveness.call()))
                .containsEntry("dispatching", false)
                .as("no timer has called")
                .doesNotContainKey("last-tick-age-seconds");
    }

    @Test
    void livenessShowsThatTheDispatcherIsOff() {
        HealthCheck liveness = checks.dispatcher();
        gauges.expectTicks(OutboxConfig.DEFAULT_OUTBOX);

        assertThat(data(liveness.call())).containsEntry("dispatching", true);
        checks.config = new CurrentConfig(TestConfig.of("outbox.dispatcher.enabled", "false"));
        assertThat(data(liveness.call())).containsEntry("dispatching", false);
    }

    @Test
    void storeIsRedForWhatIsWrongWithTheTablesAndGreenOnceItIsMended() {
        HealthCheck store = checks.store();
        gauges.expectTicks(OutboxConfig.DEFAULT_OUTBOX);
        gauges.storeChecked("default", null);
        assertUp(store.call());

        gauges.storeChecked("default", OutboxCode.SCHEMA_UNUSABLE.text("shop_message", "no SELECT for ada", "1.sql"));
        assertDown(store.call());
        assertThat((String) data(store.call()).get("problem"))
                .as("everybody reads it")
                .startsWith("OBX-0308: the tables of … cannot be used: …")
                .doesNotContain("shop_message", "ada");
        gauges.storeChecked("default", "cannot connect to db.internal");
        assertThat(data(store.call())).containsEntry("problem", "the log says what is wrong with the tables");

        gauges.storeChecked("default", null);
        assertUp(store.call());
    }

    /** The probe cannot see whether Liberty lets a resource without XA join. */
    @Test
    void deliveryNamesTheConditionOfItsProof() {
        HealthCheck delivery = checks.delivery();
        gauges.guaranteeReported(
                ofDefaultOutbox("orders"), GuaranteeReport.of(Guarantee.EXACTLY_ONCE, "H2", true, "a broker", false));
        gauges.guaranteeReported(
                ofDefaultOutbox("copies"), GuaranteeReport.of(Guarantee.AT_LEAST_ONCE, "H2", true, "a broker", false));
        gauges.guaranteeReported(ofDefaultOutbox("bills"), GuaranteeReport.unproven("H2", "no XA"));

        assertUp(delivery.call());
        assertThat(data(delivery.call()))
                .containsEntry("orders.proven", true)
                .containsEntry("orders.condition", "acceptHeuristicHazard of <transaction> is false")
                .containsEntry(
                        "bills.refusal",
                        "OBX-0403: " + OutboxCode.general("OBX-0403").orElseThrow())
                .doesNotContainKeys("copies.condition", "bills.condition");
    }

    @Test
    void databaseThatLetsTheTimerHangMakesTheStoreRedAndHoldsUpNoHealthCheck() {
        HealthCheck store = checks.store();
        // This check has no store, so that reading the tables here would fail.
        gauges.expectTicks(OutboxConfig.DEFAULT_OUTBOX);
        gauges.storeChecked("default", null);
        pass(29);
        assertUp(store.call());

        pass(2);
        assertDown(store.call());
        assertThat(data(store.call()))
                .containsEntry("problem", "the database has not answered since then")
                .containsEntry("seen-seconds-ago", 31L);

        gauges.storeChecked("default", null);
        assertUp(store.call());
    }

    @Test
    void applicationWithoutATimerLooksAtItsTablesWhenItIsAsked() {
        try (TestDatabase database = new TestDatabase()) {
            JdbcOutboxStore tables = database.open(4);
            HealthCheck store = checks.store();
            checks.outboxes = outboxes(tables);
            assertUp(store.call());

            database.update("ALTER TABLE shop_audit RENAME TO shop_other");
            assertDown(store.call());
            assertThat((String) data(store.call()).get("problem"))
                    .startsWith("OBX-03")
                    .doesNotContainIgnoringCase("shop_audit");

            database.update("ALTER TABLE shop_other RENAME TO shop_audit");
            assertUp(store.call());
        }
    }

    @Test
    void applicationWithoutATimerLooksAtTheTablesOfAllItsOutboxes() {
        try (TestDatabase database = new TestDatabase();
                TestDatabase other = new TestDatabase()) {
            HealthCheck store = checks.store();
            checks.outboxes = outboxes(database.open(4), other.open(4));
            assertUp(store.call());

            other.update("ALTER TABLE shop_audit RENAME TO shop_other");
            assertDown(store.call());
            assertThat((String) data(store.call()).get("problem"))
                    .startsWith("OBX-03")
                    .doesNotContainIgnoringCase("shop_audit");
        }
    }

    @Test
    void applicationWithoutATimerBeginsWhenItsTablesAppear() {
        try (TestDatabase database = new TestDatabase()) {
            OutboxInstance outbox = new OutboxInstance(
                    "default",
                    null,
                    new LazyStore(
                            "default",
                            () -> database.open(SchemaMode.NONE, "shop", 4),
                            Runnable::run,
                            System::nanoTime));
            checks.outboxes = new Outboxes(List.of(outbox));
            HealthCheck store = checks.store();

            assertDown(store.call());
            assertThat((String) data(store.call()).get("problem"))
                    .startsWith("OBX-0223: the tables of … are not there yet");
            assertThat(outbox.isStoreOpen()).isFalse();

            database.open(4);
            assertUp(store.call());
            assertThat(outbox.isStoreOpen()).isTrue();
        }
    }

    private static Outboxes outboxes(JdbcOutboxStore... stores) {
        List<OutboxInstance> open = new ArrayList<>();
        for (JdbcOutboxStore store : stores) {
            open.add(new OutboxInstance(open.isEmpty() ? "default" : "number-" + open.size(), null, store));
        }
        return new Outboxes(open);
    }

    @Test
    void backlogIsGreenWhateverItHoldsUnlessALimitIsSet() {
        HealthCheck backlog = backlog();
        gauges.backlog("default", backlog(10_000, READ_AT.minusSeconds(100_000), Set.of("default")));

        assertUp(backlog.call());
        assertThat(data(backlog.call()))
                .containsEntry("pending", 10_000L)
                .containsEntry("abandoned", 3L)
                .containsEntry("paused", 1L)
                .containsEntry("oldest-pending-age-seconds", 100_000L);
    }

    @Test
    void backlogIsRedBeyondItsAgeAndGreenOnceTheOldestIsSent() {
        HealthCheck backlog = backlog("outbox.health.max-age", "PT1M");
        gauges.backlog("default", backlog(1, READ_AT.minusSeconds(59), Set.of()));
        assertUp(backlog.call());

        // The age of an outdated reading counts too, so the check also goes down if the database does not answer.
        pass(30);
        assertDown(backlog.call());

        gauges.backlog("default", backlog(0, null, Set.of()));
        assertUp(backlog.call());
    }

    @Test
    void eachOutboxHasItsOwnLimit() {
        OutboxConfig shop = TestConfig.of("outbox.health.max-age", "PT1H");
        OutboxConfig billing = TestConfig.ofOutbox(
                "billing", "outbox.health.max-age", "PT1H", "outbox.outboxes.billing.health.max-age", "PT1M");
        checks.outboxes = new Outboxes(Stream.of(shop, billing)
                .map(config -> new OutboxInstance(config.outbox(), new CurrentConfig(config), (JdbcOutboxStore) null))
                .toList());
        gauges.backlog("default", backlog(1, READ_AT.minusSeconds(600), Set.of()));
        gauges.backlog("billing", backlog(1, READ_AT.minusSeconds(59), Set.of()));
        assertUp(checks.backlog().call());

        gauges.backlog("billing", backlog(1, READ_AT.minusSeconds(61), Set.of()));
        assertDown(checks.backlog().call());
        assertThat(data(checks.backlog().call())).containsEntry("too-old", "billing");
    }

    /** No message waits in the tables then. */
    @Test
    void backlogIsRedWhileTheSlotIsTooFarBehind() {
        HealthCheck patient = backlog("outbox.transport", "cdc", "outbox.health.max-age", "PT41S");
        gauges.backlog("default", backlog(0, null, Set.of()));
        assertThat(data(patient.call())).containsEntry("cdc", "unknown");

        slotRead(new Finding("OBX-0335", "has no reader"));
        assertUp(patient.call());
        assertDown(backlog("outbox.transport", "cdc", "outbox.health.max-age", "PT39S")
                .call());
        assertThat(data(patient.call()))
                .containsEntry("cdc-active", false)
                .containsEntry("cdc-wal-status", "reserved")
                .containsEntry("cdc-lag-bytes", 7_000L)
                .containsEntry("cdc-lag-seconds", 40L)
                .containsEntry("oldest-pending-age-seconds", 0L)
                .containsEntry(
                        "cdc-problem",
                        "OBX-0335: " + OutboxCode.general("OBX-0335").orElseThrow());
        assertThat(gauges.destination(DEFAULT).finding().code()).isEqualTo("OBX-0335");

        slotRead(null);
        assertThat(gauges.destination(DEFAULT).finding()).isNull();
    }

    private void slotRead(Finding finding) {
        gauges.slotRead(
                "default",
                List.of(DEFAULT),
                new SlotReading(finding == null, "reserved", 7_000, Duration.ofSeconds(40), finding));
    }

    /** No limit counts them, and each waits for a person: the data has to say so. */
    @Test
    void abandonedMessagesAreInTheData() {
        gauges.backlog("default", backlog(0, null, Set.of()));
        assertUp(backlog().call());
        assertThat(data(backlog().call())).containsEntry("abandoned", 3L);
    }

    private HealthCheck backlog(String... keysAndValues) {
        checks.config = new CurrentConfig(TestConfig.of(keysAndValues));
        checks.outboxes = new Outboxes(List.of(new OutboxInstance("default", checks.config, (JdbcOutboxStore) null)));
        return checks.backlog();
    }

    private static OutboxBacklog backlog(int pending, Instant oldest, Set<String> paused) {
        return new Backlog(pending, 0, 3, oldest, paused, READ_AT, Map.of());
    }

    private void pass(int seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    private static void assertUp(HealthCheckResponse response) {
        assertThat(response.getStatus()).as("%s", response.getData()).isEqualTo(Status.UP);
    }

    private static void assertDown(HealthCheckResponse response) {
        assertThat(response.getStatus()).as("%s", response.getData()).isEqualTo(Status.DOWN);
    }

    private static Map<String, Object> data(HealthCheckResponse response) {
        return response.getData().orElseThrow();
    }

    private static final class Builder extends HealthCheckResponseBuilder {
        private final Map<String, Object> data = new HashMap<>();
        private String name;
        private Status status = Status.DOWN;

        @Override
        public HealthCheckResponseBuilder name(String text) {
            name = text;
            return this;
        }

        @Override
        public HealthCheckResponseBuilder withData(String key, String value) {
            data.put(key, value);
            return this;
        }

        @Override
        public HealthCheckResponseBuilder withData(String key, long value) {
            data.put(key, value);
            return this;
        }

        @Override
        public HealthCheckResponseBuilder withData(String key, boolean value) {
            data.put(key, value);
            return this;
        }

        @Override
        public HealthCheckResponseBuilder up() {
            return status(true);
        }

        @Override
        public HealthCheckResponseBuilder down() {
            return status(false);
        }

        @Override
        public HealthCheckResponseBuilder status(boolean up) {
            status = up ? Status.UP : Status.DOWN;
            return this;
        }

        @Override
        public HealthCheckResponse build() {
            return new HealthCheckResponse(name, status, Optional.of(data));
        }
    }
}
