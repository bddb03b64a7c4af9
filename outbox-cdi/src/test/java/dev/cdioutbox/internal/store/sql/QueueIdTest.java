package dev.cdioutbox.internal.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.schema.SchemaFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class QueueIdTest {

    @ParameterizedTest
    @CsvSource({
        "-2147483647, false",
        "-1, false",
        "1, false",
        "2147483647, false",
        "4294967296, true",
        "9223372036854775807, true"
    })
    void idSaysWhetherTheMessageWaitsForABlockedKey(long id, boolean blockedKey) {
        assertThat(new QueueId(id).isBlockedKey()).isEqualTo(blockedKey);
    }

    @Test
    void abandonedMessageKeepsItsPartitionWithAMinus() {
        assertThat(new QueueId(7).abandoned()).isEqualTo(new QueueId(-7));
    }

    /** Otherwise a blocked key and a partition could have the same id. */
    @ParameterizedTest
    @MethodSource("dev.cdioutbox.internal.store.sql.MessageColumnTest#dialects")
    void idsOfBlockedKeysBeginAboveThoseOfPartitions(Dialect dialect) {
        assertThat(new SchemaFile("1", dialect, "shop_").statements())
                .filteredOn(statement -> statement.matches("(?s)CREATE TABLE (IF NOT EXISTS )?shop_blocked_key .*"))
                .singleElement()
                .asString()
                .contains("4294967296");
    }
}
