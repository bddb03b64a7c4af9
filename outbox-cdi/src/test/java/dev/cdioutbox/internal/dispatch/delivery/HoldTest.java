package dev.cdioutbox.internal.dispatch.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;

import dev.cdioutbox.internal.dispatch.delivery.Hold.Step;
import dev.cdioutbox.internal.dispatch.delivery.Hold.Token;
import dev.cdioutbox.internal.store.sql.PartitionTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HoldTest {
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

    @Test
    void longestTokenFitsIntoItsColumn() {
        Token token = new Token(UUID.randomUUID().toString(), Long.MAX_VALUE, Long.toString(Long.MAX_VALUE, 36));
        assertThat(Token.text(token)).hasSizeLessThanOrEqualTo(64);
        assertThat(Token.parse(Token.text(token))).isEqualTo(token);
        assertThat(Token.parse(Token.text(null))).isNull();
        assertThat(Token.parse(PartitionTable.UNKNOWN_HOLDER).number()).isZero();
    }
}
