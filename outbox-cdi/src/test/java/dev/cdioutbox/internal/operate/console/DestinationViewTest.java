package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import org.junit.jupiter.api.Test;

/** Guards that the console shows an unknown value as unknown. */
class DestinationViewTest {
    private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");

    @Test
    void countThatMayHaveMissedTheDestinationIsUnknownAndNotZero() {
        assertThat(of(null, false))
                .extracting(DestinationView::waiting, DestinationView::more)
                .containsExactly(0, false);
        assertThat(of(7, true))
                .extracting(DestinationView::waiting, DestinationView::more)
                .containsExactly(7, true);
        assertThat(of(null, true))
                .extracting(DestinationView::waiting, DestinationView::more)
                .containsExactly(null, true);
    }

    @Test
    void guaranteeIsTheReportedOneOrUnknown() {
        assertThat(of(0, false))
                .extracting(DestinationView::guarantee, DestinationView::proven)
                .containsExactly(null, null);
        assertThat(of(GuaranteeReport.of("orders", Guarantee.AT_LEAST_ONCE, "H2", "a broker", true)))
                .extracting(DestinationView::guarantee, DestinationView::proven)
                .containsExactly("at-least-once", true);
        assertThat(of(GuaranteeReport.unproven("orders", "H2", "no XA")))
                .extracting(DestinationView::guarantee, DestinationView::proven)
                .containsExactly("exactly-once", false);
    }

    private static DestinationView of(Integer counted, boolean isCapped) {
        return DestinationView.of("jms/orders", null, counted, isCapped, NOON);
    }

    private static DestinationView of(GuaranteeReport guarantee) {
        return DestinationView.of("jms/orders", guarantee, 0, false, NOON);
    }
}
