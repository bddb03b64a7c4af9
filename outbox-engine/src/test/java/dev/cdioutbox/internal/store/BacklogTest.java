package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxBacklog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that many messages that wait on purpose do not hide a failed message from the backlog. */
class BacklogTest extends StoreContract {
    private final JdbcOutboxStore store = database.open(1);
    private final BulkRows crowd = new BulkRows(database);

    BacklogTest(Database kind) {
        super(kind);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shop", "other"})
    void abandonedKeysHideNone(String application) {
        database.open(SchemaMode.CREATE, "other", 1);
        crowd.blocked(application, 1_001);

        assertThat(store.status().backlog().oldest()).isNull();
        assertThat(store.status().backlog().abandoned()).isEqualTo(application.equals("shop") ? 1_001 : 0);
        assertThat(failing().oldest()).isNotNull();
    }

    @Test
    void delayedMessagesHideNone() {
        crowd.delayed(OutboxBacklog.CAP + 1);

        OutboxBacklog backlog = failing();

        assertThat(backlog.failed()).isEqualTo(1);
        assertThat(backlog.pending() + backlog.failed()).isEqualTo(OutboxBacklog.CAP);
    }

    @Test
    void waitingMessagesAreCountedByDestination() {
        assertThat(store.status().waitingByDestination()).isEmpty();
        store.capture().write(keyed("a", "b"));
        store.capture().write(List.of(message("OrderPlaced", "c", "c", "audit")));
        failing();
        store.capture().write(keyed("poison"));
        store.settlements()
                .settleUnsent(unsent(
                        List.of(new Retry(database.sequence("poison"), OutboxStatus.ABANDONED, 1, null, "no", false))));

        assertThat(store.status().waitingByDestination()).isEqualTo(Map.of(DESTINATION, 3, "audit", 1));
    }

    @Test
    void countByDestinationStopsAtTheCapOfAll() {
        crowd.delayed(OutboxBacklog.CAP + 1);
        store.capture().write(List.of(message("OrderPlaced", "c", "c", "audit")));

        assertThat(store.status().waitingByDestination().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum())
                .isEqualTo(OutboxBacklog.CAP);
    }

    private OutboxBacklog failing() {
        store.capture().write(keyed("late"));
        store.settlements()
                .settleUnsent(unsent(List.of(new Retry(
                        database.sequence("late"), OutboxStatus.FAILED, 1, Duration.ofHours(1), "no", true))));
        return store.status().backlog();
    }
}
