package dev.cdioutbox.internal.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueueIdTest {
    private static final long YEAR_2026 = 1_790_000_000_000L;
    private static final long YEAR_2109 = (1L << 42) - 1;

    /** Messages wait under these ids: none of them may ever change. */
    @ParameterizedTest
    @CsvSource({
        "shop, default, 1, 15602075942387713",
        "shop, default, 2, 15602075942387714",
        "shop, default, 4095, 15602075942391807",
        "shop, audit, 1, 2777718546964481",
        "Shop, default, 1, 663901931696129",
        "lager, aufträge, 64, 10508492674809920"
    })
    void idOfAPartitionIsTheSameForEver(String application, String destination, int number, long id) {
        assertThat(QueueId.of(application, destination, number).value()).isEqualTo(id);
    }

    @Test
    void nameOfTheApplicationEndsWhereThatOfTheDestinationBegins() {
        assertThat(QueueId.of("a", "bc", 1)).isNotEqualTo(QueueId.of("ab", "c", 1));
    }

    @Test
    void idsOfPartitionsArePositiveAndBelowThoseOfBlockedKeys() {
        assertThat(IntStream.range(0, 10_000).mapToObj(i -> QueueId.of("application " + i, "d", PartitionIds.BACKFILL)))
                .allSatisfy(id -> assertThat(id.value()).isBetween(1L, 1L << 54))
                .noneMatch(QueueId::isBlockedKey)
                .doesNotHaveDuplicates();
    }

    @Test
    void numbersOfADestinationDoNotMeet() {
        List<Integer> numbers = PartitionIds.numbers(1024).boxed().toList();

        assertThat(numbers).hasSize(1024 + 3).doesNotHaveDuplicates().allMatch(number -> 0 < number && number < 4096);
    }

    @Test
    void idsOfBlockedKeysAreAboveThoseOfPartitionsAndTheirOwn() {
        List<Long> ids = LongStream.of(0, YEAR_2026, YEAR_2109)
                .mapToObj(QueueId::ofBlockedKey)
                .map(QueueId::value)
                .toList();

        assertThat(ids)
                .allMatch(id -> new QueueId(id).isBlockedKey() && id < 1L << 62)
                .isSorted();
        assertThat(QueueId.NOWHERE.isBlockedKey()).isFalse();
    }

    /** Also after the table was emptied, and its identity, if it had one, begins again. */
    @Test
    void idOfABlockedKeyIsNeverUsedAgain() {
        assertThat(LongStream.range(YEAR_2026, YEAR_2026 + 10_000).mapToObj(QueueId::ofBlockedKey))
                .doesNotHaveDuplicates();
    }

    @Test
    void abandonedMessageKeepsItsPartitionWithAMinus() {
        assertThat(new QueueId(7).abandoned()).isEqualTo(new QueueId(-7));
    }
}
