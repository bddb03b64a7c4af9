package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import dev.cdioutbox.internal.store.InFlightInserts.InFlightSnapshot;
import org.junit.jupiter.api.Test;

class CommitWatermarkTest {
    private final CommitWatermark commitWatermark = new CommitWatermark();

    @Test
    void withoutInFlightInsertsItIsTheLastSequence() {
        assertThat(commitWatermark.observe(seen(7))).isTrue();

        assertThat(commitWatermark.sequence()).isEqualTo(7);
    }

    @Test
    void eachWriterThatWasThereHasToEndFirst() {
        commitWatermark.observe(seen(7, "100", "101"));
        assertThat(commitWatermark.sequence()).isZero();

        commitWatermark.observe(seen(20, "101", "102"));
        assertThat(commitWatermark.sequence()).isZero();

        commitWatermark.observe(seen(30, "102", "103"));
        assertThat(commitWatermark.sequence())
                .as("those that came later have later sequences")
                .isEqualTo(7);

        commitWatermark.observe(seen(40));
        assertThat(commitWatermark.sequence()).isEqualTo(40);
    }

    @Test
    void writerWithoutAnIdCannotBeRecognizedLater() {
        commitWatermark.observe(seen(7, InFlightInserts.UNKNOWN));
        commitWatermark.observe(seen(8, "100"));
        assertThat(commitWatermark.sequence()).isZero();

        commitWatermark.observe(seen(9, "100"));
        assertThat(commitWatermark.sequence()).isZero();

        commitWatermark.observe(seen(10, "101"));
        assertThat(commitWatermark.sequence()).isEqualTo(8);
    }

    @Test
    void writerWhoIsBeingPreparedMayBeOneThatWasThere() {
        commitWatermark.observe(seen(7, "100"));
        commitWatermark.observe(seen(8, InFlightInserts.UNKNOWN));

        assertThat(commitWatermark.sequence()).isZero();
    }

    /** After a crash the database could give out once more what it had only in its memory. */
    @Test
    void whatWasGivenOutHasToBeOnDisk() {
        commitWatermark.observe(new InFlightSnapshot(1, 7, 1000, 900, true, Set.of()));
        assertThat(commitWatermark.sequence()).isZero();

        commitWatermark.observe(new InFlightSnapshot(1, 9, 1200, 1000, true, Set.of("100")));
        assertThat(commitWatermark.sequence()).isEqualTo(7);
    }

    @Test
    void cachedSequencesGiveNoWatermark() {
        commitWatermark.observe(new InFlightSnapshot(1, 20, 1000, 1000, false, Set.of()));

        assertThat(commitWatermark.sequence()).isZero();
    }

    @Test
    void nothingHoldsWhenSequencesAreGivenOutAgain() {
        commitWatermark.observe(seen(20));

        assertThat(commitWatermark.observe(seen(5, "100"))).isFalse();
        assertThat(commitWatermark.sequence()).isZero();
        assertThat(commitWatermark.observe(seen(6))).isTrue();
        assertThat(commitWatermark.sequence()).isEqualTo(6);
    }

    /** Which may have given out, by the next look, more than the one before it. */
    @Test
    void nothingHoldsWhenAnotherServerHasTakenOver() {
        commitWatermark.observe(seen(20));

        assertThat(commitWatermark.observe(new InFlightSnapshot(2, 30, 1000, 1000, true, Set.of("100"))))
                .isFalse();
        assertThat(commitWatermark.sequence()).isZero();
    }

    @Test
    void nothingHoldsWhenTheLogIsShorterThanItWas() {
        commitWatermark.observe(seen(20));

        assertThat(commitWatermark.observe(new InFlightSnapshot(1, 30, 999, 999, true, Set.of("100"))))
                .isFalse();
        assertThat(commitWatermark.sequence()).isZero();
    }

    private static InFlightSnapshot seen(long last, String... writers) {
        return new InFlightSnapshot(1, last, 1000, 1000, true, Set.of(writers));
    }
}
