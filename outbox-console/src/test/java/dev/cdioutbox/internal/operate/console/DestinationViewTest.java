package dev.cdioutbox.internal.operate.console;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.BacklogReader.Waiting;
import org.junit.jupiter.api.Test;

/** Guards that the console shows an unknown value as unknown. */
class DestinationViewTest {
    private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");

    private final SelectedOutbox selected = new SelectedOutbox(
            new OutboxInstance("default", new CurrentConfig(TestConfig.of()), (JdbcOutboxStore) null),
            null,
            new Gauges());

    @Test
    void guaranteeIsTheReportedOneOrUnknown() {
        assertThat(unreported())
                .extracting(DestinationView::guarantee, DestinationView::proven)
                .containsExactly(null, null);
        assertThat(of(GuaranteeReport.of(Guarantee.AT_LEAST_ONCE, "H2", true, "a broker", true)))
                .extracting(DestinationView::guarantee, DestinationView::proven)
                .containsExactly("at-least-once", true);
        assertThat(of(GuaranteeReport.unproven("H2", "no XA")))
                .extracting(DestinationView::guarantee, DestinationView::proven)
                .containsExactly("exactly-once", false);
    }

    /** The log's line has the mode only. */
    @Test
    void whatHappensInEachKindOfFailureIsThere() {
        assertThat(unreported().promises()).isNull();
        assertThat(of(GuaranteeReport.of(Guarantee.EXACTLY_ONCE, "H2 2.3", true, "a broker", false))
                        .promises())
                .isEqualTo(new DestinationView.Promises(
                        "exactly-once-in-order",
                        "may-lose-the-last",
                        "exactly-once",
                        "waits-for-operator",
                        GuaranteeReport.CONDITION));
        assertThat(of(GuaranteeReport.of(Guarantee.AT_LEAST_ONCE, "PostgreSQL 17", false, "a broker", false))
                        .promises())
                .isEqualTo(new DestinationView.Promises(
                        "at-least-once", "at-least-once", "at-least-once", "unaffected", null));
    }

    private DestinationView unreported() {
        return DestinationView.of(
                selected, "default", new Waiting(0, false), NOON, null, new Disclosure(Role.OPERATOR));
    }

    private DestinationView of(GuaranteeReport guarantee) {
        selected.gauges().guaranteeReported(ofDefaultOutbox("default"), guarantee);
        return unreported();
    }
}
