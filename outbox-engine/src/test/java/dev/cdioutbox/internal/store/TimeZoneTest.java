package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TimeZone;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.settle.Retry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Guards that nodes in different time zones read the same times from one database. MariaDB's server is in a third zone.
 * PostgreSQL's driver gives each session the zone of its JVM, and H2 runs in the JVM.
 */
class TimeZoneTest extends StoreContract {
    private static final ClaimLimits ALL = limits(1, 500, 1_000_000);

    private final TimeZone before = TimeZone.getDefault();

    TimeZoneTest(Database kind) {
        super(kind);
    }

    @AfterEach
    void backHome() {
        TimeZone.setDefault(before);
    }

    /**
     * The first two times are both 01:30 in New York, where clocks go back. On 8 March, clocks go forward there and
     * 02:30 does not exist.
     */
    @ParameterizedTest
    @CsvSource({
        "2026-11-01T05:30:00.123456Z, America/New_York, Asia/Kolkata",
        "2026-11-01T06:30:00.654321Z, America/New_York, America/New_York",
        "2026-03-08T07:30:00Z, America/New_York, UTC",
        "2026-03-08T02:30:00Z, Pacific/Kiritimati, America/New_York",
        "2026-03-08T02:30:00Z, America/New_York, UTC",
        "2026-10-25T00:30:00Z, Europe/Berlin, Europe/Berlin",
        "2026-10-25T01:30:00Z, Europe/Berlin, Pacific/Kiritimati",
        "2026-03-29T01:30:00.000001Z, Asia/Kolkata, Europe/Berlin"
    })
    void timesAreTheSameForAnotherNode(Instant time, String writer, String reader) {
        TimeZone.setDefault(TimeZone.getTimeZone(writer));
        NewMessage message = message("a", "a");
        database.open(1).capture().write(List.of(terms(message, new Terms(time, Duration.ofMinutes(30), null), time)));

        TimeZone.setDefault(TimeZone.getTimeZone(reader));
        OutboxMessage read =
                database.open(1).finder().find(message.id().toString()).orElseThrow();

        assertThat(read.occurredAt()).isEqualTo(time);
        assertThat(read.terms().notBefore()).isEqualTo(time);
        assertThat(read.terms().expiresAt()).isEqualTo(time.plusSeconds(1800));
        assertThat(read.createdAt())
                .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(600));
    }

    @ParameterizedTest
    @CsvSource({"Pacific/Kiritimati, Pacific/Pago_Pago", "Pacific/Pago_Pago, Pacific/Kiritimati", "UTC, Asia/Kolkata"})
    void whatIsDueDoesNotHangOnAZone(String writer, String reader) {
        TimeZone.setDefault(TimeZone.getTimeZone(writer));
        JdbcOutboxStore there = database.open(1);
        there.capture()
                .write(List.of(
                        terms(message("a", "due"), new Terms(Instant.now().minusSeconds(60), null, null)),
                        terms(message("a", "not due"), new Terms(Instant.now().plusSeconds(600), null, null)),
                        message("b", "failed"),
                        message("c", "waits")));
        there.settlements()
                .settleUnsent(unsent(
                        List.of(failed("failed", Duration.ofSeconds(-1)), failed("waits", Duration.ofMinutes(10)))));

        TimeZone.setDefault(TimeZone.getTimeZone(reader));
        JdbcOutboxStore here = database.open(1);
        here.delayed().release(DESTINATION);

        try (Claim claim = claim(here, ALL)) {
            assertThat(texts(claim.messages())).containsExactlyInAnyOrder("due", "failed");
        }
        assertThat(here.status().backlog().readAt())
                .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(600));
    }

    private Retry failed(String text, Duration delay) {
        return new Retry(database.sequence(text), OutboxStatus.FAILED, 1, delay, "refused", true);
    }
}
