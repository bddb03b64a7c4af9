package dev.cdioutbox.internal.operate.console;

import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.operate.TestOperations;
import dev.cdioutbox.internal.store.CaptureStore;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.admin.MessageOperation;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import dev.cdioutbox.operate.OutboxAuditEntry;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards the answers of the console where requests, or the rows, are unusual. */
class ConsoleApiTest extends StoreContract {
    private static final String NAME = "0199aabbccdd00112233445566778899";

    private final JdbcOutboxStore store = database.open(4);

    ConsoleApiTest(Database kind) {
        super(kind);
    }

    @Test
    void batchThatAnotherRequestCopiesAtTheSameMomentSucceedsWithoutACopy() {
        store.capture().write(keyed("a", "b"));
        database.settle(OutboxStatus.PUBLISHED, "1 = 1");
        OutboxPageRequest both = OutboxPageRequest.of(100).withBefore(database.sequence("b") + 1);
        CaptureStore overtaken = messages -> {
            new TestOperations(store).executeBatch(MessageOperation.REPLAY_AS_NEW, OutboxFilter.all(), both, NAME);
            store.capture().write(messages);
        };

        ConsoleApi.Changed answer = api(overtaken)
                .change(
                        "replay-as-new",
                        new RequestQuery(Map.of("operation", new String[] {NAME}, "below", new String[] {
                            both.before().toString()
                        })));

        assertThat(answer).isEqualTo(new ConsoleApi.Changed(0, null));
        assertThat(database.query("SELECT payload FROM shop_message ORDER BY seq"))
                .containsExactly("a", "b", "a", "b");
    }

    /** Its link in the list leads here, and an operator needs its buttons most. */
    @ParameterizedTest
    @ValueSource(strings = {"headers = 'no json'", "message_id = 'no uuid'"})
    void messageThatCannotBeReadIsShownWithItsReason(String broken) {
        store.capture().write(keyed("a"));
        database.update("UPDATE shop_message SET " + broken);
        String id = database.query("SELECT message_id FROM shop_message").get(0);
        new TestOperations(store).discard(OutboxFilter.all(), OutboxPageRequest.of(100));

        ConsoleApi.Details details =
                (ConsoleApi.Details) api(store.capture()).read("messages/" + id, new RequestQuery(Map.of()));

        assertThat(details.message()).isNull();
        assertThat(details.unreadable().id()).isEqualTo(id);
        assertThat(details.unreadable().status()).isEqualTo("DISCARDED");
        assertThat(details.unreadable().problem()).isNotBlank();
        assertThat(details.audit()).extracting(OutboxAuditEntry::action).containsExactly("discard");
    }

    private ConsoleApi api(CaptureStore writing) {
        TestOperations operations = new TestOperations(store, writing);
        ConsoleApi api = new ConsoleApi();
        api.operations = operations;
        api.outboxes = operations.outboxes();
        api.gauges = new Gauges();
        api.consumers = new ConsumerHistory();
        return api;
    }
}
