package dev.cdioutbox.internal.store.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.PostgresqlCommitWatermark.Observation;
import org.junit.jupiter.api.Test;

/** Guards that the commit watermark never passes a transaction that may still commit. */
class PostgresqlCommitWatermarkTest {
    private final PostgresqlCommitWatermark commitWatermark =
            new PostgresqlCommitWatermark(new Sql("shop_", SupportedDatabases.POSTGRESQL));

    @Test
    void withoutWritersItIsTheSequenceOfTheObservationBefore() {
        assertThat(commitWatermark.observed(seen(7))).isTrue();
        assertThat(commitWatermark.sequence())
                .as("a writer may have taken 7 after the locks were read")
                .isZero();

        commitWatermark.observed(seen(9));
        assertThat(commitWatermark.sequence()).isEqualTo(7);
    }

    @Test
    void eachWriterThatWasThereHasToEndFirst() {
        commitWatermark.observed(seen(7));
        commitWatermark.observed(seen(9, "100", "101"));
        assertThat(commitWatermark.sequence()).isZero();

        commitWatermark.observed(seen(20, "101", "102"));
        assertThat(commitWatermark.sequence()).isZero();

        commitWatermark.observed(seen(30, "102", "103"));
        assertThat(commitWatermark.sequence())
                .as("later writers have later sequences")
                .isEqualTo(7);

        commitWatermark.observed(seen(40));
        assertThat(commitWatermark.sequence()).isEqualTo(30);
    }

    @Test
    void writerIsKnownByItsVirtualIdUntilItHasAnother() {
        commitWatermark.observed(seen(7));
        commitWatermark.observed(seen(7, "3/17"));
        commitWatermark.observed(seen(8, "3/17", "100"));
        assertThat(commitWatermark.sequence()).isZero();

        commitWatermark.observed(seen(9));
        assertThat(commitWatermark.sequence()).isEqualTo(8);
    }

    /** After a crash, the database may assign sequences again that were in its memory only. */
    @Test
    void whatWasGivenOutHasToBeOnDisk() {
        commitWatermark.observed(new Observation(1, 7, 1000, 900, Set.of()));
        commitWatermark.observed(new Observation(1, 7, 1000, 900, Set.of()));
        assertThat(commitWatermark.sequence()).isZero();

        commitWatermark.observed(new Observation(1, 9, 1200, 1000, Set.of("100")));
        assertThat(commitWatermark.sequence()).isEqualTo(7);
    }

    @Test
    void nothingHoldsWhenSequencesAreGivenOutAgain() {
        commitWatermark.observed(seen(20));
        commitWatermark.observed(seen(20));

        assertThat(commitWatermark.observed(seen(5))).isFalse();
        assertThat(commitWatermark.sequence()).isZero();
        assertThat(commitWatermark.observed(seen(6))).isTrue();
        assertThat(commitWatermark.sequence()).isEqualTo(5);
    }

    /** By the next observation, the new server may have assigned more sequences than the old one had. */
    @Test
    void nothingHoldsWhenAnotherServerHasTakenOver() {
        commitWatermark.observed(seen(20));
        commitWatermark.observed(seen(20));

        assertThat(commitWatermark.observed(new Observation(2, 30, 1000, 1000, Set.of())))
                .isFalse();
        assertThat(commitWatermark.sequence()).isZero();
    }

    private static Observation seen(long sequence, String... writers) {
        return new Observation(1, sequence, 1000, 1000, Set.of(writers));
    }
}
