package dev.cdioutbox.internal.store.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

/** Guards that a driver fetches no more bytes at once than a batch has room for. */
class FetchSizeTest {
    private static final int MIB = 1024 * 1024;
    private static final long ROOM = 4L * MIB;

    @Test
    void smallRowsAreSoonFetchedAHundredAtATime() {
        assertThat(behindEach(100, 200))
                .startsWith(8, 8, 8, 16)
                .contains(32, 64)
                .endsWith(100)
                .isSorted();
    }

    @Test
    void ofLargeRowsNoMoreAreFetchedThanABatchHasRoomFor() {
        assertThat(behindEach(100, MIB)).startsWith(4).allMatch(size -> size <= 4);
    }

    @Test
    void onesLargerThanABatchAreFetchedOneByOne() {
        assertThat(behindEach(100, 64 * MIB)).containsOnly(1);
    }

    private static List<Integer> behindEach(int rows, int largest) {
        return IntStream.rangeClosed(1, rows)
                .mapToObj(seen -> PageReader.fetchSize(seen, largest, ROOM))
                .toList();
    }
}
