package dev.cdioutbox.internal.store.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.store.claim.Partitions.Found;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Guards what becomes of the rows that a claim finds, which have the order of service. Partition 9 has the delayed messages.
 * {@code *} marks a partition with a due blocked key, and {@code x} one that another claim has locked.
 */
class PartitionsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rows      | served | due keys | delayed | locked
            5 7 3     | 5 7 3  | ''       | false   | false
            3* 5 7*   | 3 5 7  | 3 7      | false   | false
            3x 5 7*x  | 5      | ''       | false   | true
            5 9       | 5      | ''       | true    | false
            9         | ''     | ''       | true    | false
            ''        | ''     | ''       | false   | false
            """, useHeadersInDisplayName = true)
    void rowsAreSortedOut(String rows, String served, String dueKeys, boolean delayedAreDue, boolean foundLocked) {
        List<Found> found = Arrays.stream(rows.split(" "))
                .filter(row -> !row.isEmpty())
                .map(PartitionsTest::found)
                .toList();

        Partitions partitions = Partitions.of(found).only(Found.locked(found));

        assertThat(words(partitions.ids())).isEqualTo(served);
        assertThat(words(partitions.withDueBlockedKeys())).isEqualTo(dueKeys);
        assertThat(partitions.delayedAreDue()).isEqualTo(delayedAreDue);
        assertThat(partitions.foundLocked()).isEqualTo(foundLocked);
    }

    private static Found found(String row) {
        long id = Long.parseLong(row.substring(0, 1));
        boolean isDelayed = id == 9;
        return new Found(id, isDelayed, row.contains("*"), 0, !isDelayed && !row.contains("x"));
    }

    private static String words(List<Long> ids) {
        return ids.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }
}
