package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import dev.cdioutbox.internal.store.Writers.Sight;
import org.junit.jupiter.api.Test;

class HorizonTest {
    private final Horizon horizon = new Horizon();

    @Test
    void whereNobodyWritesItIsTheLastSequence() {
        assertThat(horizon.see(seen(7))).isTrue();

        assertThat(horizon.reached()).isEqualTo(7);
    }

    @Test
    void eachWriterThatWasThereHasToEndFirst() {
        horizon.see(seen(7, "100", "101"));
        assertThat(horizon.reached()).isZero();

        horizon.see(seen(20, "101", "102"));
        assertThat(horizon.reached()).isZero();

        horizon.see(seen(30, "102", "103"));
        assertThat(horizon.reached())
                .as("those that came later have later sequences")
                .isEqualTo(7);

        horizon.see(seen(40));
        assertThat(horizon.reached()).isEqualTo(40);
    }

    @Test
    void writerWithoutAnIdCannotBeRecognizedLater() {
        horizon.see(seen(7, Writers.UNKNOWN));
        horizon.see(seen(8, "100"));
        assertThat(horizon.reached()).isZero();

        horizon.see(seen(9, "100"));
        assertThat(horizon.reached()).isZero();

        horizon.see(seen(10, "101"));
        assertThat(horizon.reached()).isEqualTo(8);
    }

    @Test
    void writerWhoIsBeingPreparedMayBeOneThatWasThere() {
        horizon.see(seen(7, "100"));
        horizon.see(seen(8, Writers.UNKNOWN));

        assertThat(horizon.reached()).isZero();
    }

    /** After a crash the database could give out once more what it had only in its memory. */
    @Test
    void whatWasGivenOutHasToBeOnDisk() {
        horizon.see(new Sight(1, 7, 1000, 900, true, Set.of()));
        assertThat(horizon.reached()).isZero();

        horizon.see(new Sight(1, 9, 1200, 1000, true, Set.of("100")));
        assertThat(horizon.reached()).isEqualTo(7);
    }

    @Test
    void sequencesThatSessionsKeepTellNothing() {
        horizon.see(new Sight(1, 20, 1000, 1000, false, Set.of()));

        assertThat(horizon.reached()).isZero();
    }

    @Test
    void nothingHoldsWhenSequencesAreGivenOutAgain() {
        horizon.see(seen(20));

        assertThat(horizon.see(seen(5, "100"))).isFalse();
        assertThat(horizon.reached()).isZero();
        assertThat(horizon.see(seen(6))).isTrue();
        assertThat(horizon.reached()).isEqualTo(6);
    }

    /** Which may have given out, by the next look, more than the one before it. */
    @Test
    void nothingHoldsWhenAnotherServerHasTakenOver() {
        horizon.see(seen(20));

        assertThat(horizon.see(new Sight(2, 30, 1000, 1000, true, Set.of("100"))))
                .isFalse();
        assertThat(horizon.reached()).isZero();
    }

    @Test
    void nothingHoldsWhenTheLogIsShorterThanItWas() {
        horizon.see(seen(20));

        assertThat(horizon.see(new Sight(1, 30, 999, 999, true, Set.of("100")))).isFalse();
        assertThat(horizon.reached()).isZero();
    }

    private static Sight seen(long last, String... writers) {
        return new Sight(1, last, 1000, 1000, true, Set.of(writers));
    }
}
