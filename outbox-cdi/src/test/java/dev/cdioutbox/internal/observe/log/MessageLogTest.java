package dev.cdioutbox.internal.observe.log;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.consume.ConsumedMessage;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Guards the log line of each step of a message: its level, its code and its fields. */
class MessageLogTest {
    private static final DestinationId DEFAULT = ofDefaultOutbox("default");

    private static final Logger LOGGER = Logger.getLogger("dev.cdioutbox.message");

    private final AtomicLong nanos = new AtomicLong();
    private final MessageLog log = new MessageLog(nanos::get);
    private final List<String> lines = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            lines.add(record.getLevel() + " " + record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private final NewMessage created = TestMessages.message("key", "the payload");
    private final OutboxMessage stored = TestMessages.stored(17, "key", 2);

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
        LOGGER.setUseParentHandlers(false);
        LOGGER.setLevel(Level.FINE);
    }

    @AfterEach
    void leave() {
        LOGGER.removeHandler(handler);
        LOGGER.setUseParentHandlers(true);
        LOGGER.setLevel(null);
    }

    @Test
    void eachStepHasItsLevelAndItsFields() {
        capture("default");
        log.published(DEFAULT, List.of(stored), stored.createdAt().plusMillis(1234), Duration.ofSeconds(9));
        charge(stored, OutboxStatus.FAILED, stored.createdAt().plusSeconds(2));
        charge(stored, OutboxStatus.ABANDONED, stored.createdAt().plusSeconds(3));
        log.expired(DEFAULT, stored);
        log.discardedTooLate(DEFAULT, stored);
        log.skippedDuplicate("shipping", new ConsumedMessage("1", "OrderPlaced", "c"));
        log.skippedStale("shipping", new ConsumedMessage("1", "OrderPlaced", "c"), "key", 5);

        String type = stored.event().type();
        assertThat(lines)
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith(
                                        "FINE outbox_action=created outbox_event_id=" + created.id() + " event_type="),
                        line -> assertThat(line)
                                .startsWith("FINE outbox_action=published outbox_event_id=" + stored.id()
                                        + " event_type=" + type)
                                .endsWith("destination=default retry_count=2 duration_ms=1234"),
                        line -> assertThat(line)
                                .startsWith("WARNING OBX-0406: message " + stored.id())
                                .contains("outbox_action=failed", "retry_count=3 duration_ms=2000")
                                .containsOnlyOnce("it said {0}")
                                .containsSubsequence(
                                        "error_message=\"it said {0}\" error_trace_id=",
                                        "error_trace=\"java.lang.IllegalStateException | at "
                                                + getClass().getName()),
                        line -> assertThat(line)
                                .startsWith("SEVERE OBX-0405: message " + stored.id())
                                .contains("outbox_action=abandoned", "retry_count=3 duration_ms=3000"),
                        line -> assertThat(line).startsWith("WARNING OBX-0410").contains("outbox_action=expired"),
                        line -> assertThat(line)
                                .startsWith("WARNING OBX-0417: message " + stored.id())
                                .contains("outbox_action=discarded_too_late"),
                        line -> assertThat(line)
                                .startsWith("INFO OBX-0509")
                                .endsWith("outbox_action=skipped_duplicate outbox_event_id=1 event_type=OrderPlaced"
                                        + " correlation_id=c consumer=shipping"),
                        line -> assertThat(line)
                                .startsWith("WARNING OBX-0510")
                                .contains("outbox_action=skipped_stale"));
        assertThat(lines)
                .noneMatch(line -> line.contains("the payload")
                        || line.contains(stored.body().text()));
    }

    /** The lines of one message name its destination in the same way. */
    @Test
    void destinationOfACreatedMessageIsNamedWithItsOutbox() {
        capture("billing");

        assertThat(lines).singleElement().asString().endsWith("destination=billing/default");
    }

    /** A receiver that refuses all fails each message at one place. */
    @Test
    void traceIsWrittenOnceAnHour() {
        for (int minute = 0; minute < 90; minute++) {
            nanos.set(Duration.ofMinutes(minute).toNanos());
            charge(stored, OutboxStatus.FAILED, stored.createdAt());
        }

        assertThat(lines).hasSize(90).allSatisfy(line -> assertThat(line).contains("error_trace_id="));
        assertThat(lines.stream().filter(line -> line.contains("error_trace="))).hasSize(2);
    }

    private void charge(OutboxMessage message, OutboxStatus status, Instant at) {
        log.charged(DEFAULT, message, retry(status), at, new IllegalStateException("it said {0}"));
    }

    private void capture(String name) {
        CurrentConfig config = new CurrentConfig(TestConfig.ofOutbox(name));
        OutboxInstance outbox = new OutboxInstance(name, config, (JdbcOutboxStore) null);
        log.outboxes = new Outboxes(List.of(outbox));
        log.listen();
        outbox.captured().captured(List.of(created));
    }

    /** Users of the application choose keys, and senders choose ids. Neither may forge a line of the log. */
    @Test
    void whateverAKeyHoldsALineIsOneLine() {
        String forged = "k\nSEVERE OBX-0405: \u2028message";
        OutboxMessage odd = TestMessages.stored(17, forged, 2);

        charge(odd, OutboxStatus.FAILED, odd.createdAt());
        charge(odd, OutboxStatus.ABANDONED, odd.createdAt());
        log.expired(DEFAULT, odd);
        log.discardedTooLate(DEFAULT, odd);
        log.skippedStale("shipping", new ConsumedMessage(forged, "OrderPlaced", "c"), forged, 5);
        log.skippedDuplicate("shipping", new ConsumedMessage(forged, "OrderPlaced", "c"));

        assertThat(lines).hasSize(6).allSatisfy(line -> assertThat(line)
                .contains("\"k\\u000aSEVERE OBX-0405: \\u2028message\"")
                .doesNotContain("\n", "\u2028"));
    }

    @Test
    void duplicatesAreOneLineAMinuteForEachConsumer() {
        LOGGER.setLevel(Level.INFO);
        for (int second = 0; second < 150; second++) {
            nanos.set(Duration.ofSeconds(second).toNanos());
            log.skippedDuplicate("shipping", new ConsumedMessage("m" + second, "OrderPlaced", "c"));
        }
        log.skippedDuplicate("billing", new ConsumedMessage("m0", "OrderPlaced", "c"));

        assertThat(lines)
                .satisfiesExactly(
                        line -> assertThat(line).contains("'shipping': message m0 ", " 1 such message(s)"),
                        line -> assertThat(line).contains("'shipping': message m60 ", " 60 such message(s)"),
                        line -> assertThat(line).contains("'shipping': message m120 ", " 60 such message(s)"),
                        line -> assertThat(line).contains("'billing': message m0 ", " 1 such message(s)"));
    }

    @Test
    void busySystemIsQuiet() {
        LOGGER.setLevel(Level.INFO);

        capture("default");
        log.published(DEFAULT, List.of(stored), stored.createdAt(), Duration.ZERO);

        assertThat(lines).isEmpty();
    }

    private static Retry retry(OutboxStatus status) {
        return new Retry(17, status, 3, Duration.ofSeconds(1), "it said {0}", true);
    }
}
