package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.BacklogReader.Waiting;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxBacklog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that many messages of one kind or destination hide no message of another from the backlog. */
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
    void abandonedMessagesOfBlockedKeysHideNoneThatWaits() {
        crowd.blocked("shop", OutboxBacklog.CAP);
        store.capture().write(keyed("a"));

        OutboxBacklog backlog = failing();

        assertThat(backlog.abandoned()).isEqualTo(OutboxBacklog.CAP);
        assertThat(backlog.failed()).isEqualTo(1);
        assertThat(backlog.pending()).isEqualTo(1);
        assertThat(waiting()).isEqualTo(new Waiting(2, true));
    }

    @Test
    void waitingMessagesAreCountedByDestination() {
        assertThat(waiting()).isEqualTo(new Waiting(0, false));
        store.capture().write(keyed("a", "b"));
        store.capture().write(List.of(message("OrderPlaced", "c", "c", "audit")));
        failing();
        store.capture().write(keyed("poison"));
        store.settlements()
                .settleUnsent(unsent(
                        List.of(new Retry(database.sequence("poison"), OutboxStatus.ABANDONED, 1, null, "no", false))));

        assertThat(store.status().waiting(Set.of(DESTINATION, "audit")))
                .isEqualTo(Map.of(DESTINATION, new Waiting(3, false), "audit", new Waiting(1, false)));
    }

    /** Of the messages of the key, the first is abandoned, and all others wait behind it. */
    @Test
    void oneBlockedKeyDoesNotHideAnotherDestination() {
        crowd.behindOneKey(OutboxBacklog.CAP + 1);
        store.capture().write(List.of(message("OrderPlaced", "c", "c", "audit")));

        assertThat(store.status().waiting(Set.of(DESTINATION, "audit")))
                .isEqualTo(Map.of(DESTINATION, new Waiting(OutboxBacklog.CAP, true), "audit", new Waiting(1, false)));
        assertThat(store.heldUp().blocked().get(DESTINATION).followers()).isEqualTo(OutboxBacklog.CAP);
    }

    @Test
    void blockedKeysOfOneDestinationDoNotHideTheOldestMessageOfAnother() {
        crowd.overdue(1_001);

        assertThat(failing().oldestOf()).containsOnlyKeys("audit", DESTINATION);
    }

    private Waiting waiting() {
        return store.status().waiting(Set.of(DESTINATION)).get(DESTINATION);
    }

    private OutboxBacklog failing() {
        store.capture().write(keyed("late"));
        store.settlements()
                .settleUnsent(unsent(List.of(new Retry(
                        database.sequence("late"), OutboxStatus.FAILED, 1, Duration.ofHours(1), "no", true))));
        return store.status().backlog();
    }
}
