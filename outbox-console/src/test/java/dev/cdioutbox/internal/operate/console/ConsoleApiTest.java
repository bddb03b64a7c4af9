package dev.cdioutbox.internal.operate.console;

import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.operate.TestOperations;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.capture.CaptureStore;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxAuditEntry;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
                .changeMessages(ApiOperationTest.request(
                        "POST",
                        "changes/replay-as-new",
                        Map.of("operation", new String[] {NAME}, "below", new String[] {
                            both.before().toString()
                        })));

        assertThat(answer).isEqualTo(new ConsoleApi.Changed(0, null, null, null));
        assertThat(database.query("SELECT payload FROM shop_message ORDER BY seq"))
                .containsExactly("a", "b", "a", "b");
    }

    @Test
    void erasureTellsWhatTheBrokerHasAndNeedsAName() {
        store.capture().write(keyed("a", "b"));
        database.settle(OutboxStatus.PUBLISHED, "payload = 'a'");
        Map<String, String[]> all = Map.of("below", new String[] {"100"});

        assertThat(api(store.capture())
                        .changeMessages(ApiOperationTest.request(
                                "POST", "changes/erase", Map.of("below", new String[] {"100"}, "key", new String[] {"a"
                                }))))
                .isEqualTo(new ConsoleApi.Changed(1, null, 1, 0));
        assertThatExceptionOfType(RequestRefusedException.class)
                .isThrownBy(() ->
                        api(store.capture()).changeMessages(ApiOperationTest.request("POST", "changes/erase", all)))
                .withMessageContaining("needs a key");
    }

    /** Its link in the list leads here, and an operator needs its buttons most. */
    @ParameterizedTest
    @ValueSource(strings = {"headers = 'no json'", "message_id = 'no uuid'"})
    void messageThatCannotBeReadIsShownWithItsReason(String broken) {
        store.capture().write(keyed("a"));
        database.update("UPDATE shop_message SET " + broken);
        String id = database.query("SELECT message_id FROM shop_message").get(0);
        new TestOperations(store).discard(OutboxFilter.all(), OutboxPageRequest.of(100));

        ConsoleApi.MessageDetails details =
                api(store.capture()).message(ApiOperationTest.request("GET", "messages/" + id, Map.of()));

        assertThat(details.message()).isNull();
        assertThat(details.unreadable().id()).isEqualTo(id);
        assertThat(details.unreadable().status()).isEqualTo("DISCARDED");
        assertThat(details.unreadable().problem()).isNotBlank();
        assertThat(details.audit()).extracting(OutboxAuditEntry::action).containsExactly("discard");
    }

    /** The page shows size and type of a binary payload, and knows it by the null. */
    @Test
    void payloadIsDownloaded() {
        NewMessage text = message("a", "ä");
        NewMessage binary = payload(message("b", ""), OutboxPayload.binary(new byte[] {0, -1}));
        NewMessage erased = message("c", "c");
        store.capture().write(List.of(text, binary, erased));
        database.update("UPDATE shop_message SET payload = NULL WHERE message_key = 'c'");

        assertThat(download(text).name()).isEqualTo(text.id() + ".txt");
        assertThat(download(text).content()).isEqualTo("ä".getBytes(StandardCharsets.UTF_8));
        assertThat(download(binary).name()).isEqualTo(binary.id() + ".bin");
        assertThat(download(binary).content()).containsExactly(0, -1);
        assertRefused(() -> download(erased), 410, "OBX-0615");
        assertThat(Stream.of(text, binary, erased).map(this::shown)).containsExactly("\"ä\"", "null", "\"\"");
    }

    private ConsoleServlet.Download download(NewMessage message) {
        return api(store.capture())
                .payload(ApiOperationTest.request("GET", "messages/" + message.id() + "/payload", Map.of()));
    }

    /** The payload in the answer. */
    private String shown(NewMessage message) {
        String answer = ConsoleServlet.binding()
                .toJson(api(store.capture())
                        .message(ApiOperationTest.request("GET", "messages/" + message.id(), Map.of())));
        return answer.replaceAll(".*\"payload\":([^,}]*).*", "$1");
    }

    @Test
    void auditIsReadPageByPage() {
        TestOperations operator = new TestOperations(store);
        List.of("a", "b", "c").forEach(key -> {
            store.capture().write(keyed(key));
            operator.discard(OutboxFilter.all().withKey(key), OutboxPageRequest.of(1));
        });

        ConsoleApi.AuditPage first = audit(Map.of("limit", new String[] {"2"}));
        ConsoleApi.AuditPage second = audit(Map.of("limit", new String[] {"2"}, "below", new String[] {
            first.below().toString()
        }));

        assertThat(Stream.concat(first.entries().stream(), second.entries().stream()))
                .extracting(OutboxAuditEntry::subject)
                .map(subject -> subject.replaceAll(".*\"key\":\"(.).*", "$1"))
                .containsExactly("c", "b", "a");
        assertThat(second.below()).isNull();
    }

    @Test
    void backfillCopiesTheGivenTypesAndIsRefusedWhileOneRuns() throws Throwable {
        assertRefused(backfill("default"), 400, "OBX-0615");
        backfill("audit").call();

        assertThat(store.backfills().all()).singleElement().satisfies(started -> {
            assertThat(started.destination()).isEqualTo("audit");
            assertThat(started.source()).isEqualTo("default");
            assertThat(started.eventTypes()).containsExactlyInAnyOrder("Placed", "Paid");
            assertThat(started.from()).isEqualTo(Instant.parse("2026-01-31T00:00:00Z"));
        });
        assertRefused(backfill("audit"), 409, "OBX-0605");
    }

    private ThrowingCallable backfill(String destination) {
        Map<String, String[]> given = Map.of(
                "destination", new String[] {destination},
                "source", new String[] {"default"},
                "type", new String[] {"Placed", "Paid"},
                "from", new String[] {"2026-01-31T00:00:00Z"});
        return () -> api(store.capture()).backfill(ApiOperationTest.request("POST", "backfill", given));
    }

    private static void assertRefused(ThrowingCallable call, int status, String code) {
        assertThatExceptionOfType(RequestRefusedException.class)
                .isThrownBy(call)
                .returns(status, RequestRefusedException::status)
                .returns(code, RequestRefusedException::code);
    }

    private ConsoleApi.AuditPage audit(Map<String, String[]> given) {
        return api(store.capture()).audit(ApiOperationTest.request("GET", "audit", given));
    }

    private ConsoleApi api(CaptureStore writing) {
        TestOperations operations = new TestOperations(store, writing);
        ConsoleApi api = new ConsoleApi();
        api.operations = operations;
        api.outboxes = operations.outboxes();
        api.gauges = new Gauges();
        api.consumers = new ConsumerHistory();
        api.traces = new FailureTraces();
        api.masks = new PayloadMasks();
        api.masks.outboxes = api.outboxes;
        return api;
    }
}
