package dev.cdioutbox.internal.store.operate;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.BulkRows;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.ExplainedSource;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Guards that the times of a filter bound the rows that a replay reads, with few candidates among many published
 * messages. PostgreSQL counts the pages.
 */
@Tag("database")
class ChangeCandidateQueryTest {
    private static final int PUBLISHED = 50_000;

    /**
     * Pages for a binary search of both times in the table, and for the messages of the minutes around the candidate; with the
     * versions of these rows from before the update, which stay while another test's snapshot is open.
     */
    private static final int FEW_PAGES = 700;

    private static final OutboxPageRequest HUNDRED = OutboxPageRequest.of(100);

    @AutoClose
    private final TestDatabase database = new TestDatabase(Database.POSTGRESQL);

    private final ExplainedSource explained = new ExplainedSource(database.dataSource());
    private final MessageFinder finder = JdbcOutboxStore.open(
                    explained.dataSource(), TestDatabase.config(SchemaMode.CREATE, "shop", 1), Set.of(DESTINATION))
            .finder();

    @Test
    void timesBoundWhatAReplayLooksAt() {
        Instant first = Instant.parse("2026-03-29T00:00:00Z");
        new BulkRows(database).published(PUBLISHED);
        database.update(
                "UPDATE shop_message SET created_at = TIMESTAMPTZ '%s' + seq * INTERVAL '1 second'".formatted(first));
        long rare = PUBLISHED / 2;
        database.update("UPDATE shop_message SET message_key = 'rare' WHERE seq = ?", rare);
        Instant written = first.plusSeconds(rare);
        OutboxFilter all = OutboxFilter.all().withKey("rare");
        OutboxFilter within = all.withCreated(written.minusSeconds(60), written.plusSeconds(60));

        long whole = explained.pages(() -> assertThat(found(all)).containsExactly(rare));
        long part = explained.pages(() -> assertThat(found(within)).containsExactly(rare));
        String plans = explained.plans();
        long counted =
                explained.pages(() -> assertThat(finder.countCandidates(MessageOperation.REPLAY, within, HUNDRED, 10)
                                .last())
                        .isEqualTo(rare));

        assertThat(whole).as("what there is to come by").isGreaterThan(2 * FEW_PAGES);
        assertThat(part).as(plans).isLessThan(FEW_PAGES);
        assertThat(counted).as(explained.plans()).isLessThan(FEW_PAGES);
        assertThat(found(within, HUNDRED.withAfter(rare))).isEmpty();
        assertThat(found(within, HUNDRED.withBefore(rare))).isEmpty();
        assertThat(found(all.withCreated(written.plus(Duration.ofDays(1)), null)))
                .isEmpty();
        assertThat(found(all.withCreated(null, first.minusSeconds(3600)))).isEmpty();
    }

    private List<Long> found(OutboxFilter filter) {
        return found(filter, HUNDRED);
    }

    private List<Long> found(OutboxFilter filter, OutboxPageRequest request) {
        return finder.candidates(MessageOperation.REPLAY, filter, request);
    }
}
