package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards the cost of the backlog with many destinations on PostgreSQL. Each partition has a read watermark, and a plan that compares
 * each partition with each watermark took longer than the statement's time-out from fifty destinations on.
 */
@Tag("database")
class ManyDestinationsTest {
    private static final int DESTINATIONS = 20;
    private static final int PARTITIONS = 64;
    private static final long MINUTE = 61_000_000_000L;

    @AutoClose
    private final TestDatabase database = new TestDatabase(Database.POSTGRESQL);

    private final AtomicLong nanos = new AtomicLong();
    private final ExplainedSource explained = new ExplainedSource(database.dataSource());
    private final Set<String> destinations =
            IntStream.range(0, DESTINATIONS).mapToObj(i -> "destination" + i).collect(Collectors.toSet());
    private final JdbcOutboxStore store = JdbcOutboxStore.open(
            explained.dataSource(),
            TestDatabase.config(SchemaMode.CREATE, "shop", PARTITIONS),
            destinations,
            nanos::get);

    @Test
    void backlogLooksUpTheWatermarkOfEachPartition() {
        database.commitToDisk();
        store.capture().write(List.of(message("OrderPlaced", "key", "text", "destination0")));
        // Each observation raises the commit watermark, and the last one those of the partitions.
        for (int minute = 0; minute < 4; minute++) {
            nanos.addAndGet(MINUTE);
            store.status().backlog();
        }

        explained.pages(store.status()::backlog);

        // With the one for backfills, without the one where the message waits.
        int watermarks = DESTINATIONS * (PARTITIONS + 1) - 1;
        assertThat(explained.plans()).containsPattern("Function Scan on f .*actual rows=" + watermarks + "\\b");
        assertThat(explained.comparedInVain()).as(explained.plans()).isLessThan(10L * watermarks);
    }
}
