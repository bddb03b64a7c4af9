package dev.cdioutbox.internal.store.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.store.claim.QueueReader.FetchSize;
import org.junit.jupiter.api.Test;

/** Guards that a driver fetches no more bytes at once than a batch has room for. */
class FetchSizeTest {
    private static final int MIB = 1024 * 1024;

    private final List<Integer> sizes = new ArrayList<>();
    private final FetchSize fetch = new FetchSize(4L * MIB);

    @Test
    void smallRowsAreSoonFetchedAHundredAtATime() throws SQLException {
        read(100, 200);

        assertThat(sizes).startsWith(8, 16, 32).endsWith(100).isSorted();
    }

    @Test
    void ofLargeRowsNoMoreAreFetchedThanABatchHasRoomFor() throws SQLException {
        read(100, MIB);

        assertThat(sizes).startsWith(8, 4).allMatch(size -> size <= 8);
    }

    @Test
    void onesLargerThanABatchAreFetchedOneByOne() throws SQLException {
        read(100, 200);
        read(1, 64 * MIB);
        read(1, 200);

        assertThat(sizes).endsWith(1);
    }

    private void read(int rows, int bytes) throws SQLException {
        fetch.begin(recording(PreparedStatement.class));
        for (int i = 0; i < rows; i++) {
            fetch.next(recording(ResultSet.class), bytes);
        }
    }

    private <T> T recording(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                FetchSizeTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("setFetchSize");
                    sizes.add((Integer) arguments[0]);
                    return null;
                }));
    }
}
