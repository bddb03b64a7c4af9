package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import javax.sql.DataSource;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;

import com.mysql.cj.jdbc.MysqlDataSource;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.persistence.OutboxMessageView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mariadb.jdbc.MariaDbDataSource;

/**
 * Guards the times that Jakarta Persistence reads from the view through the driver. Where columns have no zone, the
 * driver needs the settings of docs/databases.md.
 */
@Tag("full")
class ViewTimesTest extends StoreContract {
    private final TimeZone before = TimeZone.getDefault();

    ViewTimesTest(Database kind) {
        super(kind);
    }

    @AfterEach
    void backHome() {
        TimeZone.setDefault(before);
    }

    /** The second time, 02:30 in UTC, does not exist in New York on that day. */
    @ParameterizedTest
    @CsvSource({
        "2026-11-01T05:30:00.123456Z, America/New_York, Asia/Kolkata",
        "2026-03-08T02:30:00.654321Z, Asia/Kolkata, America/New_York",
        "2026-07-25T00:30:00Z, Europe/Berlin, Europe/Berlin"
    })
    void timesOfTheViewAreThoseOfTheMessage(Instant time, String writer, String reader) throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone(writer));
        NewMessage message = message("a", "a");
        open(database.dataSource())
                .capture()
                .write(List.of(terms(message, new Terms(time, Duration.ofMinutes(30), null), time)));

        TimeZone.setDefault(TimeZone.getTimeZone(reader));
        DataSource notified = notified();
        OutboxMessageView read = read(notified, time.minusMillis(1), time.plusMillis(1));

        // EclipseLink reads some times with milliseconds only.
        Instant known = time.truncatedTo(ChronoUnit.MILLIS);
        assertThat(read.getOccurredAt().toInstant()).isBetween(known, time);
        assertThat(read.getNotBefore().toInstant()).isBetween(known, time);
        assertThat(read.getExpiresAt().toInstant()).isBetween(known.plusSeconds(1800), time.plusSeconds(1800));
        assertThat(read.getCreatedAt().toInstant())
                .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(600));
        assertThat(open(notified)
                        .finder()
                        .find(OutboxFilter.all(), OutboxPageRequest.of(100))
                        .get(0)
                        .occurredAt())
                .as("the outbox itself needs no such setting, and does not mind it")
                .isEqualTo(time);
    }

    /** The only message, if it occurred between the two times. */
    private static OutboxMessageView read(DataSource dataSource, Instant after, Instant until) {
        Map<String, Object> unit = Map.of(
                "eclipselink.persistencexml",
                "view/persistence.xml",
                "jakarta.persistence.nonJtaDataSource",
                dataSource);
        try (EntityManagerFactory factory = Persistence.createEntityManagerFactory("view", unit);
                EntityManager entities = factory.createEntityManager()) {
            return entities.createQuery(
                            "SELECT v FROM OutboxMessageView v WHERE v.occurredAt > :after AND v.occurredAt <= :until",
                            OutboxMessageView.class)
                    .setParameter("after", after.atOffset(ZoneOffset.UTC))
                    .setParameter("until", until.atOffset(ZoneOffset.ofHours(9)))
                    .getSingleResult();
        }
    }

    private DataSource notified() throws SQLException {
        String inUtc = "&connectionTimeZone=UTC&preserveInstants=true";
        return switch (database.kind()) {
            case MARIADB ->
                new MariaDbDataSource(
                        MariaDbServer.url(database.query("SELECT DATABASE()").get(0)) + inUtc);
            case MYSQL -> {
                MysqlDataSource source = new MysqlDataSource();
                // Else the driver gives a LocalDateTime, which EclipseLink refuses.
                source.setURL(
                        MySqlServer.url(database.query("SELECT DATABASE()").get(0)) + inUtc
                                + "&treatMysqlDatetimeAsTimestamp=true");
                yield source;
            }
            default -> database.dataSource();
        };
    }

    private static JdbcOutboxStore open(DataSource dataSource) {
        return JdbcOutboxStore.open(
                dataSource,
                new StoreConfig(
                        "jdbc/shop",
                        SchemaMode.CREATE,
                        "outbox_",
                        "shop",
                        1,
                        Ordering.ROW_LOCK,
                        null,
                        StoreConfig.Cdc.NONE),
                Set.of(DESTINATION));
    }
}
