package dev.cdioutbox.internal.dispatch.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards the matrix of docs/evidence.md, and when a guarantee is reported. */
@Tag("database")
class GuaranteeReportTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene();

    private final List<GuaranteeReport> report = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({
        "EXACTLY_ONCE, PostgreSQL 18, false, true, exactly-once-in-order, exactly-once-in-order,"
                + " exactly-once-in-order-by-commit-priority, waits-for-operator",
        "EXACTLY_ONCE, PostgreSQL 18, true, false, exactly-once-in-order, may-lose-the-last, exactly-once, waits-for-operator",
        "EXACTLY_ONCE, H2 2.4, true, false, exactly-once-in-order, may-lose-the-last, exactly-once, waits-for-operator",
        "AT_LEAST_ONCE, MariaDB 11, false, true, at-least-once, at-least-once, at-least-once, unaffected",
        "AT_LEAST_ONCE, H2 2.4, true, true, at-least-once, may-lose-the-last, at-least-once, unaffected",
    })
    void isWhatModeDatabaseAndReferenceGive(
            Guarantee delivery,
            String database,
            boolean mayLoseTheLast,
            boolean reference,
            String process,
            String host,
            String broker,
            String log) {
        GuaranteeReport given = GuaranteeReport.of(delivery, database, mayLoseTheLast, "ActiveMQ 6", reference);

        assertThat(List.of(given.processDeath(), given.hostDeath(), given.brokerDeath(), given.lostLog()))
                .extracting(Object::toString)
                .containsExactly(process, host, broker, log);
    }

    @Test
    void isReportedOnceAndSaysNothingIsSentUntilTheProbeSucceeds() {
        listen();
        scene.broker.probeRefused = "no XA here";
        scene.run();
        assertThat(report).singleElement().satisfies(given -> {
            assertThat(given.proven()).isFalse();
            assertThat(given.refusal()).isEqualTo("no XA here");
            assertThat(given.processDeath()).isEqualTo(GuaranteeReport.Promise.NOTHING_SENT);
        });

        scene.broker.probeRefused = null;
        scene.run();
        scene.run();
        assertThat(report).hasSize(2);
        assertThat(report.get(1).proven()).isTrue();
        assertThat(report.get(1).database()).startsWith("H2 2");
        assertThat(report.get(1).broker()).isEqualTo("a transport of the application");
    }

    @Test
    void isReportedAgainWhenTheModeChanges() {
        listen();
        scene.run();
        scene.run(() -> DispatchScene.config("outbox.dispatcher.delivery", "at-least-once"), () -> false);

        assertThat(report)
                .extracting(GuaranteeReport::delivery)
                .containsExactly(Guarantee.EXACTLY_ONCE, Guarantee.AT_LEAST_ONCE);
    }

    private void listen() {
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void guaranteeReported(DestinationId destination, GuaranteeReport guarantee) {
                report.add(guarantee);
            }
        });
    }
}
