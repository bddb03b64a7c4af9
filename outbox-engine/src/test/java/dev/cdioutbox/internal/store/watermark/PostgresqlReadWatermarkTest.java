package dev.cdioutbox.internal.store.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.PostgresqlCommitWatermark.Observation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Guards that the read watermark of a partition never passes a waiting message. */
class PostgresqlReadWatermarkTest {
    private static final long PARTITION = 1;

    private final Sql sql = new Sql("shop_", SupportedDatabases.POSTGRESQL);
    private final PostgresqlCommitWatermark commitWatermark = new PostgresqlCommitWatermark(sql);
    private final ReadWatermark watermark = new PostgresqlReadWatermark("shop", sql, commitWatermark, () -> 0);

    @BeforeEach
    void observe() {
        for (int i = 0; i < 2; i++) {
            commitWatermark.observed(new Observation(1, 100, 1000, 1000, Set.of()));
        }
        watermark.raise(PARTITION, 0, 50);
    }

    @Test
    void watermarkRisesToTheCommitWatermarkAtMost() {
        watermark.raise(PARTITION, 50, 101);
        assertThat(watermark.of(PARTITION)).isEqualTo(50);

        watermark.raise(PARTITION, 50, 100);
        assertThat(watermark.of(PARTITION)).isEqualTo(100);
    }

    @Test
    void watermarkGoesBelowARequeuedMessage() {
        watermark.requeued(PARTITION, 7);

        assertThat(watermark.of(PARTITION)).isEqualTo(6);
    }

    @Test
    void claimThatReadBeforeAMessageWasRequeuedDoesNotRaiseTheWatermark() {
        watermark.requeued(PARTITION, 70);
        watermark.raise(PARTITION, 50, 100);

        assertThat(watermark.of(PARTITION)).isLessThan(70);
    }

    @Test
    void theSameHoldsForTheFirstClaimOfAPartition() {
        watermark.requeued(2, 70);
        watermark.raise(2, 0, 100);

        assertThat(watermark.of(2)).isLessThan(70);
    }

    @Test
    void otherDatabasesReadFromTheBeginning() {
        ReadWatermark none = ReadWatermark.of("shop", new Sql("shop_", SupportedDatabases.MARIADB), () -> 0);

        none.raise(PARTITION, 0, 50);

        assertThat(none).isSameAs(ReadWatermark.NONE);
        assertThat(none.of(PARTITION)).isZero();
    }
}
