package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.internal.store.sql.SequenceInList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards that lists of parameters have few lengths, so that a statement cache needs few entries. */
class StatementsTest {

    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "1, 1",
        "2, 2",
        "3, 4",
        "4, 4",
        "5, 8",
        "500, 512",
        "512, 512",
        "513, 1000",
        "1000, 1000",
        "1001, 1024"
    })
    void parametersArePaddedToAPowerOfTwoAndNotAboveAThousandForNothing(int count, int paddedCount) {
        assertThat(SequenceInList.paddedCount(count)).isEqualTo(paddedCount);
    }
}
