package dev.cdioutbox.internal.store.claim;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.Test;

/** Guards that a delayed message is not sent before its time, and does not wait after that. */
class DelayedTest extends StoreContract {
    private static final ClaimLimits ALL = limits(1, 5000, 1_000_000);

    private final JdbcOutboxStore store = database.open(1);

    DelayedTest(Database kind) {
        super(kind);
    }

    @Test
    void delayedMessageIsClaimedOnceItsTimeHasCome() {
        store.capture()
                .write(List.of(
                        terms(message("a", "due"), delayed(-1)),
                        terms(message("a", "later"), delayed(3600)),
                        message("a", "now")));
        assertThat(claimed(store)).containsExactly("now");

        assertThat(store.delayed().release(DESTINATION)).as("moved").isTrue();

        assertThat(claimed(store)).containsExactly("due", "now");
        assertThat(store.status().backlog().pending()).isEqualTo(3);
    }

    /** The report takes no place of a partition, even if the claim takes only one. */
    @Test
    void claimReportsDueMessagesBesideItsPartitions() {
        store.capture()
                .write(List.of(terms(message("a", "due"), delayed(-1)), terms(message("a", "later"), delayed(3600))));
        assertThat(reported(0)).as("without another message").isTrue();

        store.capture().write(List.of(message("b", "now")));
        assertThat(reported(1)).isTrue();

        store.delayed().release(DESTINATION);
        assertThat(reported(1)).isFalse();
    }

    /** The send of the first claim's batch may hang. */
    @Test
    void openClaimHidesNoDueMessageFromOthers() {
        store.capture().write(List.of(terms(message("a", "due"), delayed(-1)), message("b", "now")));
        ClaimLimits one = limits(1, 500, 1_000_000);

        try (Claim first = claim(store, one);
                Claim second = claim(store, one)) {
            assertThat(first.partitions()).hasSize(1);
            assertThat(second.partitions()).isEmpty();
            assertThat(second.delayedAreDue()).isTrue();
        }
    }

    private boolean reported(int partitions) {
        try (Claim claim = claim(store, limits(1, 500, 1_000_000))) {
            assertThat(claim.partitions()).hasSize(partitions);
            return claim.delayedAreDue();
        }
    }

    /** An event that was fired for tomorrow is not late until then, and must not raise an alarm. */
    @Test
    void delayedMessageAgesFromItsTimeOn() {
        store.capture().write(List.of(terms(message("a", "tomorrow"), delayed(86_400)), message("b", "now")));
        database.setTime("message", "created_at", Instant.parse("2026-01-01T00:00:00Z"), "payload = 'tomorrow'");
        assertThat(store.status().backlog().pending()).isEqualTo(2);
        assertThat(store.status().backlog().oldest())
                .as("that of the one without a time")
                .isAfter("2026-06-01T00:00:00Z");

        assertThat(settleAll()).isEqualTo(1);
        assertThat(store.status().backlog().oldest()).isNull();

        Instant before = store.status().backlog().readAt();
        store.capture().write(List.of(terms(message("a", "due"), delayed(-600))));
        assertThat(store.status().backlog().oldest())
                .as("what was stored after its time, from then on")
                .isAfter(before.minusSeconds(60));
        database.setTime("message", "created_at", Instant.parse("2026-01-01T00:00:00Z"), "payload = 'due'");
        assertThat(store.status().backlog().oldest())
                .as("its time, as long as nobody has let it in")
                .isBetween(before.minusSeconds(660), before.minusSeconds(540));
        store.delayed().release(DESTINATION);
        assertThat(store.status().backlog().oldest())
                .as("and once somebody has")
                .isBetween(before.minusSeconds(660), before.minusSeconds(540));
    }

    /** A destination without a problem must not hide the backlog of another one. */
    @Test
    void eachDestinationHasItsOldestWhereverThatWaits() {
        assertThat(store.status().backlog().oldestOf()).isEmpty();
        store.capture()
                .write(List.of(
                        message("a", "new"),
                        message("OrderPlaced", "a", "old", "audit"),
                        message("OrderPlaced", "b", "new", "audit")));
        database.setTime("message", "created_at", Instant.parse("2026-01-01T00:00:00Z"), "payload = 'old'");

        OutboxBacklog backlog = store.status().backlog();
        assertThat(backlog.oldestOf()).containsOnlyKeys(DESTINATION, "audit");
        assertThat(backlog.oldestOf().get("audit"))
                .isEqualTo("2026-01-01T00:00:00Z")
                .isEqualTo(backlog.oldest());
        assertThat(backlog.oldestOf().get(DESTINATION)).isAfter("2026-06-01T00:00:00Z");

        assertThat(settleAll()).isEqualTo(1);
        store.capture().write(List.of(terms(message("OrderPlaced", "c", "due", "audit"), delayed(-600))));
        assertThat(store.status().backlog().oldestOf()).containsOnlyKeys("audit");
    }

    @Test
    void aThousandAtATimeAreMoved() {
        List<NewMessage> messages = new ArrayList<>();
        for (int i = 0; i < DelayedMessages.BATCH_SIZE + 1; i++) {
            messages.add(terms(message("a", String.valueOf(i)), delayed(-10)));
        }
        store.capture().write(messages);

        assertThat(store.delayed().release(DESTINATION)).isTrue();
        assertThat(claimed(store)).hasSize(DelayedMessages.BATCH_SIZE);
        assertThat(store.delayed().release(DESTINATION)).isTrue();
        assertThat(claimed(store)).hasSize(DelayedMessages.BATCH_SIZE + 1);
        assertThat(store.delayed().release(DESTINATION)).isFalse();
    }

    /** If the move gave up early on a slow database, it would try the same messages again for ever. */
    @Test
    void promotionMayTakeLongWhereItWaitsForNoLock() {
        List<Object> seconds = new ArrayList<>();
        JdbcOutboxStore node = JdbcOutboxStore.open(
                notingTimeouts(seconds), TestDatabase.config(SchemaMode.NONE, "shop", 1), Set.of(DESTINATION, "audit"));
        node.capture().write(List.of(terms(message("a", "due"), delayed(-10))));
        seconds.clear();

        node.delayed().release(DESTINATION);

        assertThat(seconds).isNotEmpty().containsOnly(30);
        assertThat(claimed(node)).containsExactly("due");
    }

    private DataSource notingTimeouts(List<Object> seconds) {
        return proxy(DataSource.class, (source, get, none) -> {
            Connection connection = database.dataSource().getConnection();
            return proxy(Connection.class, (self, method, arguments) -> {
                Object result = method.invoke(connection, arguments);
                return result instanceof PreparedStatement statement
                        ? proxy(PreparedStatement.class, (prepared, called, values) -> {
                            if (called.getName().equals("setQueryTimeout") && !values[0].equals(0)) {
                                seconds.add(values[0]);
                            }
                            return called.invoke(statement, values);
                        })
                        : result;
            });
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /**
     * An operator, or a dispatcher on another node, may hold the row. A wait for this lock would delay all other
     * messages each second.
     */
    @Test
    void lockedDelayedMessageIsSkipped() throws SQLException {
        store.capture()
                .write(List.of(
                        terms(message("a", "held"), delayed(-10)),
                        terms(message("b", "due"), delayed(-5)),
                        terms(message("c", "due too"), delayed(-1))));
        try (Connection other = database.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.executeUpdate("UPDATE shop_queue SET attempts = 1 WHERE seq = " + database.sequence("held"));

            assertThat(store.delayed().release(DESTINATION)).isTrue();

            assertThat(claimed(store)).containsExactly("due", "due too");
            other.rollback();
        }

        store.delayed().release(DESTINATION);
        assertThat(claimed(store)).containsExactly("held", "due", "due too");
    }

    /** A message that one node moved, and another node has settled since, must not wait again. */
    @Test
    void nodesThatMoveAtOneTimeMoveEachMessageOnce() throws Exception {
        List<NewMessage> messages = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            messages.add(terms(message("a", String.valueOf(i)), delayed(-10)));
        }
        store.capture().write(messages);
        ExecutorService nodes = Executors.newFixedThreadPool(4);
        try {
            Callable<Integer> node = () -> {
                int sent = 0;
                for (int i = 0; i < 20; i++) {
                    store.delayed().release(DESTINATION);
                    sent += settleAll();
                }
                return sent;
            };
            int sent = 0;
            for (Future<Integer> result : nodes.invokeAll(List.of(node, node, node, node))) {
                sent += result.get();
            }
            assertThat(sent).isEqualTo(300);
        } finally {
            nodes.shutdownNow();
        }
        assertThat(database.statuses()).containsOnly("PUBLISHED");
        assertThat(database.misplaced()).isEmpty();
    }

    @Test
    void timeToLiveCountsFromTheTimeOfADelayedMessage() {
        Instant time = Instant.parse("2030-06-01T12:00:00.123456Z");
        store.capture()
                .write(List.of(
                        terms(message("a", "delayed"), new Terms(time, Duration.ofHours(1), 7)),
                        terms(message("b", "at once"), new Terms(null, Duration.ofHours(1), null))));

        OutboxMessage delayed = found("a");
        assertThat(delayed.terms().notBefore()).isEqualTo(time);
        assertThat(delayed.terms().expiresAt()).isEqualTo(time.plusSeconds(3600));
        assertThat(delayed.terms().priority()).isEqualTo(7);
        assertThat(found("b").terms().expiresAt())
                .isBetween(Instant.now().plusSeconds(3000), Instant.now().plusSeconds(4200));
    }

    @Test
    void messagesOfAnotherDestinationOrApplicationStayWhereTheyAre() {
        JdbcOutboxStore other = database.open(SchemaMode.CREATE, "other", 1);
        other.capture().write(List.of(terms(message("a", "theirs"), delayed(-1))));
        store.capture().write(List.of(terms(message("OrderPlaced", "a", "audited", "audit"), delayed(-1))));

        store.delayed().release(DESTINATION);

        assertThat(claimed(store)).isEmpty();
        assertThat(claimed(other)).isEmpty();
        assertThat(database.query("SELECT 1 FROM shop_queue WHERE available_at IS NOT NULL"))
                .hasSize(2);
    }

    private int settleAll() {
        try (Claim claim = claim(store, ALL)) {
            List<Long> sequences =
                    claim.messages().stream().map(OutboxMessage::sequence).toList();
            store.settlements().settleSent(sent(sequences));
            return sequences.size();
        }
    }

    private OutboxMessage found(String key) {
        return store.finder()
                .find(OutboxFilter.all().withKey(key), OutboxPageRequest.of(100))
                .get(0);
    }

    private static Terms delayed(int seconds) {
        return new Terms(Instant.now().plusSeconds(seconds), null, null);
    }

    private static List<String> claimed(JdbcOutboxStore store) {
        try (Claim claim = claim(store, ALL)) {
            return texts(claim.messages());
        }
    }
}
