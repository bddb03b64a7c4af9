package dev.cdioutbox.internal.dispatch.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.internal.dispatch.ownership.TakeOver.Step;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TakeOverTest {
    @ParameterizedTest
    @CsvSource({
        " ,  , BEGIN",
        "7, 7, GO_ON",
        "7, 8, SETTLE",
        "7, 9, REFUSE",
        "7, 6, REFUSE",
        "0,  , REFUSE",
        " , 0, REFUSE"
    })
    void databaseAndTransportAreCompared(Long settled, Long committed, Step step) {
        assertThat(Step.of(settled, committed)).isEqualTo(step);
    }
}
