package dev.cdioutbox.internal.store.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.store.claim.Partitions.Found;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Guards what becomes of the rows that a claim finds. Partition 9 has the delayed messages.
 * {@code *} marks a partition with a due blocked key, and {@code x} one that another claim has locked.
 */
class PartitionsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rows      | after | served | due keys | delayed | locked
            7 3 5     | 0     | 3 5 7  | ''       | false   | false
            3 5 7     | 3     | 5 7 3  | ''       | false   | false
            3* 5 7*   | 7     | 3 5 7  | 3 7      | false   | false
            3x 5 7*x  | 0     | 5      | ''       | false   | true
            5 9       | 0     | 5      | ''       | true    | false
            9         | 0     | ''     | ''       | true    | false
            ''        | 0     | ''     | ''       | false   | false
            """, useHeadersInDisplayName = true)
    void rowsAreSortedOut(
            String rows, int after, String served, String dueKeys, boolean delayedAreDue, boolean foundLocked) {
        List<Found> found = Arrays.stream(rows.split(" "))
                .filter(row -> !row.isEmpty())
                .map(row -> new Found(Long.parseLong(row.substring(0, 1)), row.contains("*"), 0, !row.contains("x")))
                .toList();

        Partitions partitions = Partitions.of(found, 9, after);

        assertThat(words(partitions.ids())).isEqualTo(served);
        assertThat(words(partitions.withDueBlockedKeys())).isEqualTo(dueKeys);
        assertThat(partitions.delayedAreDue()).isEqualTo(delayedAreDue);
        assertThat(partitions.foundLocked()).isEqualTo(foundLocked);
    }

    private static String words(List<Long> ids) {
        return ids.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }
}
