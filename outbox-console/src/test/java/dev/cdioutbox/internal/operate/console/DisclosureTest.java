package dev.cdioutbox.internal.operate.console;

import static dev.cdioutbox.internal.store.TestMessages.aggregate;
import static dev.cdioutbox.internal.store.TestMessages.context;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.consume.ConsumedMessage;
import dev.cdioutbox.internal.deadletter.DeadLetter;
import dev.cdioutbox.internal.deadletter.DeadLetterFilter;
import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.operate.DeadLetterOperations;
import dev.cdioutbox.internal.operate.TestOperations;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.sql.QueueId;
import dev.cdioutbox.internal.store.sql.StatusCode;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOutcome;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards that no answer gives a viewer what a message contains. */
@Tag("database")
class DisclosureTest {
    private static final String SECRET = "DE89370400440532013000";

    /** Wherever an application, or an error, may have left it. */
    private static final NewMessage FAILED = secret("OrderPlaced");

    private static final NewMessage DISCARDED = secret("OrderPaid");
    private static final NewMessage UNREADABLE = secret("OrderSent");

    private static final List<String> READS = List.of(
            "state",
            "diagnosis",
            "messages",
            "messages/" + FAILED.id(),
            "messages/" + DISCARDED.id(),
            "messages/" + UNREADABLE.id(),
            "blocked-keys",
            "dead-letters",
            "audit");

    private final TestDatabase database = new TestDatabase();
    private final JdbcOutboxStore store = database.open(4);
    private final TestOperations operations = new TestOperations(store);
    private final ConsoleApi api = new ConsoleApi();
    private final DeadLetterApi letters = new DeadLetterApi();

    private static NewMessage secret(String type) {
        NewMessage message = aggregate(message(type, SECRET, SECRET, "default"), "line " + SECRET);
        return context(message, new StoredMessage.Context(SECRET, SECRET, SECRET, Map.of("iban", SECRET)));
    }

    @BeforeEach
    void leaveItEverywhere() {
        store.nodes().writeHeartbeat(new ThisNode("node-1", "shop", "host", "server", 1, "1.0"), 0);
        store.capture().write(List.of(FAILED, DISCARDED, UNREADABLE));
        database.update("UPDATE shop_message SET created_at = DATEADD(HOUR, -1, CURRENT_TIMESTAMP)");
        database.update("UPDATE shop_queue SET attempts = 1, last_error = '" + SECRET + "', status = "
                + StatusCode.of(OutboxStatus.FAILED));
        long blockedKey = QueueId.ofBlockedKey(0).value();
        database.update("UPDATE shop_queue SET queue_id = " + blockedKey
                + " WHERE seq = (SELECT seq FROM shop_message WHERE event_type = 'OrderPlaced')");
        database.update("INSERT INTO shop_blocked_key (id, partition_id, message_key, due_at) SELECT " + blockedKey
                + ", partition_id, message_key, CURRENT_TIMESTAMP FROM shop_message WHERE event_type = 'OrderPlaced'");
        database.update("UPDATE shop_message SET headers = '" + SECRET + "' WHERE event_type = 'OrderSent'");
        OutboxFilter filter = OutboxFilter.all()
                .withEventType("OrderPaid")
                .withKey(SECRET)
                .withAggregateId("line " + SECRET)
                .withCorrelationId(SECRET)
                .withCausationId(SECRET)
                .withTenantId(SECRET)
                .withError(SECRET);
        assertThat(operations.discard(filter, OutboxPageRequest.of(10)).changed())
                .isEqualTo(1);

        api.operations = operations;
        api.outboxes = operations.outboxes();
        api.gauges = operations.gauges();
        api.gauges.runFailed(DestinationId.ofDefaultOutbox("default"), 1, new IllegalStateException(SECRET));
        api.throughput = new ThroughputHistory();
        api.consumers = new ConsumerHistory();
        api.traces = new FailureTraces();
        api.masks = new PayloadMasks();
        api.masks.outboxes = api.outboxes;
        api.consumers.failed(
                "shipping", new ConsumedMessage(FAILED.id().toString(), null, null), new IllegalStateException(SECRET));
        Throwable failure = new IllegalStateException();
        failure.setStackTrace(new StackTraceElement[] {new StackTraceElement(SECRET, "write", null, 1)});
        OutboxMessage failed = operations
                .page(OutboxFilter.all().withEventType("OrderPlaced"), OutboxPageRequest.of(1))
                .messages()
                .get(0);
        api.traces.charged(DestinationId.ofDefaultOutbox("default"), failed, null, Instant.EPOCH, failure);
        letters.outboxes = new Outboxes(List.of(new OutboxInstance(
                "default", new CurrentConfig(TestConfig.of("outbox.dead-letters.dlq.jndi", "jms/dlq")), store)));
        letters.operations = new OneDeadLetter();
        letters.masks = api.masks;
        letters.history = api.consumers;
    }

    @AfterEach
    void close() {
        database.close();
    }

    /** Of each operation that a viewer may call; a new one has to be added here. */
    @Test
    void viewerGetsNoneOfIt() {
        assertThat(ApiOperation.ALL.stream().filter(operation -> operation.role() == Role.VIEWER))
                .extracting(ApiOperation::path)
                .containsExactly(
                        "state",
                        "diagnosis",
                        "messages",
                        "messages/{id}",
                        "changes/{action}",
                        "blocked-keys",
                        "dead-letters",
                        "dead-letters/count",
                        "audit");
        Stream.concat(READS.stream(), Stream.of("changes/discard"))
                .forEach(path -> assertThat(answer(Role.VIEWER, path, Map.of()))
                        .as(path)
                        .isNotEmpty()
                        .doesNotContain(SECRET));
        assertThat(letter(Role.VIEWER)).doesNotContain(SECRET).contains("OrderPlaced");
    }

    @Test
    void supportGetsAllOfIt() {
        READS.forEach(path ->
                assertThat(answer(Role.SUPPORT, path, Map.of())).as(path).contains(SECRET));
        assertThat(letter(Role.SUPPORT)).contains("\"text\":\"" + SECRET);
        assertThat(answer(Role.SUPPORT, "messages/" + FAILED.id() + "/payload", Map.of()))
                .isEqualTo(SECRET);
    }

    @Test
    void onlySupportSeesWhereItFailed() {
        assertThat(answer(Role.VIEWER, "messages/" + FAILED.id(), Map.of())).contains("\"trace\":null");
        assertThat(answer(Role.SUPPORT, "messages/" + FAILED.id(), Map.of()))
                .contains("\"text\":\"java.lang.IllegalStateException\\n  at " + SECRET);
    }

    /** The texts of errors are shown with what their codes say of all. */
    @Test
    void viewerLearnsWhatIsWrong() {
        assertThat(answer(Role.VIEWER, "diagnosis", Map.of()))
                .contains("\"code\":\"OBX-0401\"", "destination '…': delivery failed");
        assertThat(answer(Role.VIEWER, "messages/" + FAILED.id(), Map.of()))
                .contains("\"status\":\"FAILED\"", "\"attempts\":1", "The role outbox-support is needed to read it.");
    }

    /** The exact size would tell which of two values a short payload has. */
    @Test
    void viewerLearnsTheSizeOfAPayloadInKibibytesOnly() {
        assertThat(answer(Role.SUPPORT, "messages/" + FAILED.id(), Map.of()))
                .contains("\"bytes\":" + FAILED.body().bytes() + ",");
        for (String path : List.of("messages", "messages/" + FAILED.id())) {
            assertThat(answer(Role.VIEWER, path, Map.of())).contains("\"bytes\":1024,");
        }
    }

    /** Whether something is found tells the value, too. */
    @Test
    void onlySupportSearchesForIt() {
        for (String name : List.of("key", "aggregate", "correlation", "causation", "tenant", "error")) {
            Map<String, String[]> filter = Map.of(name, new String[] {SECRET});
            for (String path : List.of("messages", "changes/discard")) {
                assertRefused(Role.VIEWER, path, filter);
                assertThat(answer(Role.SUPPORT, path, filter)).as(name).isNotEmpty();
            }
        }
        assertRefused(Role.VIEWER, "dead-letters", Map.of("key", new String[] {SECRET}));
        assertRefused(
                Role.VIEWER, "dead-letters/count", Map.of("queue", new String[] {"dlq"}, "key", new String[] {SECRET}));
    }

    /** Another node may have erased it, and a consumer may fail with the copy at the broker even after that. */
    @Test
    void erasedMessageIsShownWithoutTheTextsOfItsFailures() {
        assertThat(operations.executeOne(MessageOperation.ERASE, FAILED.id().toString(), null))
                .isEqualTo(OutboxOutcome.DONE);

        assertThat(answer(Role.SUPPORT, "messages/" + FAILED.id(), Map.of()))
                .contains("\"reason\":\"the message was erased")
                .doesNotContain("\"reason\":\"" + SECRET);
        assertThat(answer(Role.SUPPORT, "state", Map.of())).contains("\"reason\":\"the message was erased");
    }

    @Test
    void maskedPayloadIsShownToNobody() {
        api.masks.beans = List.of(new PayloadMasks.Bean("Mask", (type, contentType, payload) -> null));

        assertThat(answer(Role.OPERATOR, "messages/" + FAILED.id(), Map.of())).contains("\"payload\":\"•••\"");
        assertThat(answer(Role.OPERATOR, "messages/" + FAILED.id() + "/payload", Map.of()))
                .isEqualTo("•••");
        assertThat(letter(Role.OPERATOR)).contains("\"text\":\"•••\"");
    }

    /** Neither the time of a mask, nor its failure, may tell a viewer what it was given. */
    @Test
    void maskRunsForThoseOnlyWhoMaySeeAPayload() {
        List<OutboxPayload> given = new ArrayList<>();
        api.masks.beans = List.of(new PayloadMasks.Bean("Mask", (type, contentType, payload) -> {
            given.add(payload);
            return payload;
        }));

        READS.forEach(path -> answer(Role.VIEWER, path, Map.of()));
        letter(Role.VIEWER);
        assertThat(given).isEmpty();

        answer(Role.SUPPORT, "messages/" + FAILED.id(), Map.of());
        letter(Role.SUPPORT);
        assertThat(given).hasSize(2);
    }

    private void assertRefused(Role role, String path, Map<String, String[]> filter) {
        assertThatExceptionOfType(RequestRefusedException.class)
                .isThrownBy(() -> answer(role, path, filter))
                .withMessage("The role outbox-support is needed.")
                .returns(403, RequestRefusedException::status);
    }

    /** One letter, which is read with its payload. */
    private String letter(Role role) {
        return answer(role, "dead-letters", Map.of("message", new String[] {"ID:1"}));
    }

    private String answer(Role role, String path, Map<String, String[]> given) {
        return answer(ApiOperation.find("GET", path), role, path, given);
    }

    private <B> String answer(ApiOperation<B, ?> operation, Role role, String path, Map<String, String[]> given) {
        Object bean = operation.bean() == ConsoleApi.class ? api : letters;
        Object answer =
                operation.handler().apply(operation.bean().cast(bean), operation.request("someone", role, path, given));
        return answer instanceof ConsoleServlet.Download file
                ? new String(file.content(), StandardCharsets.UTF_8)
                : ConsoleServlet.binding().toJson(answer);
    }

    /** The broker's part, with its answer to any question. */
    private static final class OneDeadLetter extends DeadLetterOperations {
        @Override
        public List<DeadLetter> browse(
                OutboxInstance outbox, DeadLetterQueue queue, DeadLetterFilter filter, int skip, int limit) {
            return List.of(new DeadLetter(
                    "ID:1",
                    FAILED.id().toString(),
                    "dlq",
                    "orders",
                    "OrderPlaced",
                    SECRET,
                    Instant.EPOCH,
                    null,
                    SECRET,
                    filter.message() == null ? null : SECRET,
                    Map.of("iban", SECRET)));
        }
    }
}
