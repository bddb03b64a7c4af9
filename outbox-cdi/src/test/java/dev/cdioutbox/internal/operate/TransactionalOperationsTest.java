package dev.cdioutbox.internal.operate;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.context;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.lang.reflect.Proxy;
import java.security.Principal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.inject.Instance;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.consume.ConsumerListener;
import dev.cdioutbox.internal.consume.ConsumerListeners;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.operate.TransactionalOperations.Change;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.EachDatabase;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxAuditEntry;
import dev.cdioutbox.operate.OutboxChange;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOutcome;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.operate.UnknownNameException;
import dev.cdioutbox.spi.DestinationId;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;

/** Guards the audit of operations, and that a change is logged only after its commit. */
@ParameterizedClass
@EachDatabase
class TransactionalOperationsTest {
    private static final String NAME = "0199aabbccdd00112233445566778899";
    private static final String GRIN = "\uD83D\uDE00";

    @AutoClose
    private final TestDatabase database;

    private final AtomicLong nanos = new AtomicLong();
    private final JdbcOutboxStore store;
    private final TransactionalOperations operations = new TransactionalOperations() {
        @Override
        TransactionSynchronizationRegistry transactions() {
            return (TransactionSynchronizationRegistry) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {TransactionSynchronizationRegistry.class},
                    (proxy, method, arguments) -> interposed.add((Synchronization) arguments[0]));
        }
    };
    private final List<Synchronization> interposed = new ArrayList<>();

    /** The ids of erased messages of which a consumer's listener was told. */
    private final List<String> forgotten = new ArrayList<>();

    @AutoClose
    private final LogLines log = new LogLines(TransactionalOperations.class.getName());

    TransactionalOperationsTest(Database kind) {
        database = new TestDatabase(kind);
        store = JdbcOutboxStore.open(
                database.dataSource(),
                TestDatabase.config(SchemaMode.CREATE, "shop", 4),
                Set.of(DESTINATION, "audit"),
                nanos::get);
        store.capture().write(keyed("a"));
        operations.on(new OutboxInstance("default", new CurrentConfig(TestConfig.of()), store));
        operations.listeners = new ConsumerListeners() {
            @Override
            public void tell(Consumer<ConsumerListener> news) {
                news.accept(new ConsumerListener() {
                    @Override
                    public void erased(Collection<String> messages) {
                        forgotten.addAll(messages);
                    }
                });
            }
        };
        callerIs("ada");
    }

    @Test
    void statusTellsWhatIsInDoubtWhereTheProcessDispatches() {
        OutboxConfig config = TestConfig.of();
        boolean[] dispatching = {false};
        operations.config = new CurrentConfig(config);
        Gauges gauges = new Gauges() {
            @Override
            public String node(String outbox) {
                return dispatching[0] ? "node-1" : null;
            }
        };
        operations.gauges = gauges;
        gauges.inDoubt(ofDefaultOutbox("default"), 2, Duration.ZERO);
        gauges.inDoubt(DestinationId.of("another", "default"), 3, Duration.ZERO);

        assertThat(operations.status().inDoubt()).isNull();
        dispatching[0] = true;
        assertThat(operations.status().inDoubt()).isEqualTo(2);
    }

    /** The database rolls back with the transaction. The log must not name a change that never happened. */
    @Test
    void rollbackIsNotReported() {
        operations.discard(OutboxFilter.all(), OutboxPageRequest.of(100));
        assertThat(log.all()).as("before the end").isEmpty();
        end(Status.STATUS_ROLLEDBACK);
        assertThat(log.all()).isEmpty();

        operations.replay(OutboxFilter.all(), OutboxPageRequest.of(100));
        end(Status.STATUS_COMMITTED);
        assertThat(log.all()).containsExactly("OBX-0602: replay by ada changed 1: {}.");
    }

    /** On PostgreSQL a claim reads above a watermark. The node that executed the operation must not wait for a scan. */
    @Test
    void requeuedMessageIsClaimedAtOnceAfterTheCommit() {
        if (database.kind() == Database.POSTGRESQL) {
            database.commitToDisk();
        }
        long sequence = database.sequence("a");
        settle();
        // More messages of its partition raise the read watermark above the first one.
        for (int i = 0; i < 6; i++) {
            store.capture().write(List.of(message("a", "later")));
            nanos.addAndGet(Duration.ofMillis(250).toNanos());
            settle();
        }
        operations.replay(OutboxFilter.all(), OutboxPageRequest.ofSequence(sequence));
        end(Status.STATUS_COMMITTED);

        try (Claim claim = claim()) {
            assertThat(texts(claim.messages())).containsExactly("a");
        }
    }

    @Test
    void operatorWithALongNameCanDoAllThatOthersCan() {
        callerIs("x".repeat(254) + GRIN + "y");

        assertThat(operations
                        .discard(OutboxFilter.all(), OutboxPageRequest.of(100))
                        .changed())
                .isEqualTo(1);
        assertThat(operations.pause(DESTINATION)).isTrue();

        assertThat(database.query("SELECT done_by FROM shop_audit")).containsOnly("x".repeat(254));
        assertThat(database.query("SELECT changed_by FROM shop_control WHERE paused = 1"))
                .containsExactly("x".repeat(254));
    }

    @Test
    void auditNamesTheRoleByWhichTheConsoleLetsTheCallerAct() {
        ActingRole operator = new ActingRole();
        operator.set("outbox-admin");
        actsAs(operator);
        operations.pause(DESTINATION);
        actsAs(new ActingRole());
        operations.resume(DESTINATION);
        actsAs(new ActingRole() {
            @Override
            public String name() {
                throw new ContextNotActiveException("no request");
            }
        });
        operations.pause(DESTINATION);

        assertThat(database.query("SELECT COALESCE(done_as, 'none') FROM shop_audit ORDER BY id"))
                .containsExactly("outbox-admin", "none", "none");
    }

    @Test
    void backfillIsAudited() {
        operations.config = new CurrentConfig(TestConfig.of("outbox.destinations.audit.jndi", "jms/audit"));

        operations.backfill("audit", DESTINATION, Set.of("OrderPlaced", "OrderPaid"), Instant.EPOCH);
        assertThatThrownBy(() -> operations.backfill("audit", DESTINATION, Set.of("OrderPaid"), Instant.EPOCH))
                .hasMessageStartingWith("OBX-0605");
        assertThat(operations.cancelBackfill("audit")).isTrue();

        assertThat(operations.backfills()).singleElement().satisfies(progress -> {
            assertThat(progress.eventTypes()).containsExactlyInAnyOrder("OrderPlaced", "OrderPaid");
            assertThat(progress.from()).isEqualTo(Instant.EPOCH);
            assertThat(progress.end()).isZero();
        });
        assertThat(database.query("SELECT CONCAT(done_by, ' ', action, ' ', subject) FROM shop_audit ORDER BY id"))
                .containsExactly(
                        "ada backfill {\"destination\":\"audit\",\"source\":\"default\",\"type\":\"OrderPaid,OrderPlaced\","
                                + "\"from\":\"1970-01-01T00:00:00Z\"}",
                        "ada cancel-backfill audit");
    }

    /** The same exception for each of them: a null would else be found anywhere below, and a zero by the database. */
    @Test
    void argumentsThatNothingCanHaveAreRefused() {
        OutboxFilter all = OutboxFilter.all();
        OutboxPageRequest first = OutboxPageRequest.of(100);
        Set<String> types = Set.of("OrderPlaced");
        operations.config = new CurrentConfig(TestConfig.of("outbox.destinations.audit.jndi", "jms/audit"));
        assertThat(List.<ThrowingCallable>of(
                        () -> operations.get(null),
                        () -> operations.history(null),
                        () -> operations.retry((UUID) null),
                        () -> operations.discard((UUID) null),
                        () -> operations.replay((UUID) null),
                        () -> operations.replayAsNew((UUID) null),
                        () -> operations.find(null),
                        () -> operations.find(all, null),
                        () -> operations.page(null, first),
                        () -> operations.page(all, null),
                        () -> operations.retry(null, first),
                        () -> operations.retry(all, null),
                        () -> operations.discard(null, first),
                        () -> operations.replay(null, first),
                        () -> operations.replayAsNew(null, first),
                        () -> operations.outbox(null),
                        () -> operations.backfill(null, DESTINATION, types, Instant.EPOCH),
                        () -> operations.backfill("audit", null, types, Instant.EPOCH),
                        () -> operations.backfill("audit", DESTINATION, null, Instant.EPOCH),
                        () -> operations.backfill("audit", DESTINATION, Set.of(), Instant.EPOCH),
                        () -> operations.backfill("audit", DESTINATION, Set.of(" "), Instant.EPOCH),
                        () -> operations.backfill("audit", DESTINATION, Set.of("a\nb"), Instant.EPOCH),
                        () -> operations.backfill("audit", DESTINATION, Set.of("a\0"), Instant.EPOCH),
                        () -> operations.backfill("audit", DESTINATION, Set.of("x".repeat(2001)), Instant.EPOCH),
                        () -> operations.backfill("audit", DESTINATION, types, null),
                        () -> operations.backfill("audit", DESTINATION, types, Instant.MAX),
                        () -> operations.backfill(DESTINATION, DESTINATION, types, Instant.EPOCH),
                        () -> operations.cancelBackfill(null),
                        () -> operations.cancelBackfill("default\0"),
                        () -> operations.pause(null),
                        () -> operations.resume(null),
                        () -> operations.pause("default\0"),
                        () -> operations.resume("\uD83D")))
                .allSatisfy(call -> assertThatIllegalArgumentException()
                        .isThrownBy(call)
                        .withMessageMatching(
                                "(id|filter|request|name|destination|source|eventTypes|from|createdFrom) .*"));
        assertThatThrownBy(() -> operations.pause("nowhere"))
                .isInstanceOf(UnknownNameException.class)
                .hasMessageStartingWith("OBX-0601");
        assertThatThrownBy(() -> operations.backfill("nowhere", DESTINATION, types, Instant.EPOCH))
                .isInstanceOf(UnknownNameException.class)
                .hasMessageStartingWith("OBX-0604: there is no destination 'nowhere'");
        assertThatThrownBy(() -> operations.cancelBackfill("nowhere\n[AUDIT]"))
                .isInstanceOf(UnknownNameException.class)
                .hasMessageStartingWith("OBX-0604: there is no destination 'nowhere\\u000a[AUDIT]'");
        assertThat(database.query("SELECT action FROM shop_audit")).isEmpty();
    }

    /** What no message has matches none. It must not become a failure of the database. */
    @Test
    void argumentsAtTheEdgeOfWhatIsPossibleMatchNothing() {
        String huge = "x".repeat(100_000);
        Instant first = Instant.parse("0001-01-01T00:00:00Z");
        Instant last = Instant.parse("9999-12-31T23:59:59.999999999Z");
        OutboxFilter all = OutboxFilter.all();
        OutboxPageRequest anywhere = OutboxPageRequest.of(100);

        assertThat(List.of(
                        all.withEventType(huge),
                        all.withKey(huge),
                        all.withDestination(huge),
                        all.withCorrelationId(huge),
                        all.withCausationId(huge),
                        all.withTenantId(huge),
                        all.withError(huge),
                        all.withCreated(last, last),
                        all.withCreated(first, first),
                        all.withCreated(last, null).withStatus(OutboxStatus.PENDING),
                        all.withCreated(null, first).withStatus(OutboxStatus.PENDING)))
                .allSatisfy(filter -> assertNoMatch(filter, anywhere));
        assertThat(List.of(
                        OutboxPageRequest.ofSequence(Long.MAX_VALUE),
                        OutboxPageRequest.ofSequence(Long.MIN_VALUE),
                        anywhere.withAfter(Long.MAX_VALUE),
                        anywhere.withBefore(Long.MIN_VALUE),
                        anywhere.withAfter(Long.MAX_VALUE).withBefore(Long.MIN_VALUE)))
                .allSatisfy(range -> assertNoMatch(all, range));
        assertThat(operations
                        .discard(
                                all.withCreated(first, last),
                                anywhere.withAfter(Long.MIN_VALUE).withBefore(Long.MAX_VALUE))
                        .changed())
                .isEqualTo(1);
        assertThatThrownBy(() -> operations.pause(huge)).hasMessageStartingWith("OBX-0601");
    }

    private void assertNoMatch(OutboxFilter filter, OutboxPageRequest request) {
        assertThat(operations.find(filter, request)).isEmpty();
        assertThat(operations.page(filter, request).messages()).isEmpty();
        assertThat(operations.retry(filter, request).changed()).isZero();
        assertThat(operations.discard(filter, request).changed()).isZero();
        assertThat(operations.replay(filter, request).changed()).isZero();
        assertThat(operations.replayAsNew(filter, request).changed()).isZero();
    }

    /** An operator most needs to discard the message that cannot be read. */
    @Test
    void whatCannotBeReadIsSteeredByItsId() {
        UUID id = UUID.fromString(
                database.query("SELECT message_id FROM shop_message").get(0));
        database.update("UPDATE shop_message SET headers = 'no headers'");
        assertThat(operations.get(id)).isEmpty();

        assertThat(operations.discard(id)).isEqualTo(OutboxOutcome.DONE);

        assertThat(database.statuses()).containsExactly("DISCARDED");
    }

    /** Logs and consumers know this id. No other message may change. */
    @Test
    void oneMessageIsSteeredByItsId() {
        store.capture().write(keyed("b"));
        UUID id = UUID.fromString(database.query("SELECT message_id FROM shop_message WHERE payload = 'a'")
                .get(0));
        assertThat(operations.retry(id)).as("what did not fail").isEqualTo(OutboxOutcome.REFUSED);

        assertThat(operations.discard(id)).isEqualTo(OutboxOutcome.DONE);
        assertThat(operations.discard(id)).as("a second time").isEqualTo(OutboxOutcome.REFUSED);
        assertThat(statuses()).containsExactly("a DISCARDED", "b PENDING");
        assertThat(operations.replayAsNew(id)).isEqualTo(OutboxOutcome.DONE);
        assertThat(statuses()).containsExactly("a DISCARDED", "b PENDING", "a PENDING");
        assertThat(operations.replay(id)).isEqualTo(OutboxOutcome.DONE);
        database.updateQueue("status = 1", "message_id = '" + id + "'");
        assertThat(operations.retry(id)).isEqualTo(OutboxOutcome.DONE);
        assertThat(statuses()).containsExactly("a PENDING", "b PENDING", "a PENDING");

        assertThat(operations.discard(UUID.randomUUID()))
                .as("one that is not there")
                .isEqualTo(OutboxOutcome.NOT_FOUND);
        assertThat(operations.history(id))
                .extracting(OutboxAuditEntry::action, OutboxAuditEntry::subject)
                .containsExactly(
                        tuple("retry", "{\"id\":\"" + id + "\"}"),
                        tuple("replay", "{\"id\":\"" + id + "\"}"),
                        tuple("replay-as-new", "{\"id\":\"" + id + "\"}"),
                        tuple("discard", "{\"id\":\"" + id + "\"}"));
    }

    /** What waits is discarded, and those behind it go on. The audit says that it was done, but not to whom. */
    @Test
    void erasedMessagesContainNothing() throws SQLException {
        Context person = new Context("iban", "iban", "iban", Map.of("header", "iban"));
        store.capture()
                .write(List.of(
                        context(message("iban", "iban"), person),
                        context(message("iban", "the next iban"), person),
                        context(message("iban", "iban in flight"), person)));
        database.settle(OutboxStatus.PUBLISHED, "payload = 'iban'");
        database.update("UPDATE shop_queue SET last_error = 'iban', status = 1, attempts = 1 WHERE seq = "
                + database.sequence("the next iban"));
        OutboxFilter filter = OutboxFilter.all().withKey("iban").withTenantId("iban");
        List<String> ids = List.of(id("iban").toString(), id("the next iban").toString());

        try (Connection delivery = database.dataSource().getConnection()) {
            delivery.setAutoCommit(false);
            Database.execute(
                    delivery, "UPDATE shop_queue SET attempts = 7 WHERE seq = " + database.sequence("iban in flight"));
            assertThat(operations.erase(filter, OutboxPageRequest.of(10)))
                    .isEqualTo(new TransactionalOperations.Erasure(2, null, 1, 1, 0));
            delivery.rollback();
        }
        assertThat(forgotten).isEmpty();
        interposed.forEach(transaction -> transaction.afterCompletion(Status.STATUS_COMMITTED));
        assertThat(forgotten).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(operations.erase(filter, OutboxPageRequest.of(10)).changed()).isEqualTo(1);
        assertThat(database.statuses()).containsExactly("PENDING", "PUBLISHED", "DISCARDED", "DISCARDED");
        assertThat(database.query("SELECT payload FROM shop_message WHERE payload IS NOT NULL"))
                .containsExactly("a");
        assertThat(database.query("SELECT seq FROM shop_message WHERE headers IS NOT NULL OR correlation_id IS NOT NULL"
                        + " OR causation_id IS NOT NULL OR tenant_id IS NOT NULL OR aggregate_id IS NOT NULL"
                        + " OR message_key = 'iban'"))
                .isEmpty();
        assertThat(database.query("SELECT last_error FROM shop_delivery WHERE last_error IS NOT NULL"))
                .isEmpty();
        assertThat(database.query("SELECT subject FROM shop_audit ORDER BY id"))
                .hasSize(2)
                .allMatch(subject -> subject.equals("{\"key\":\"…\",\"tenant\":\"…\"}"));
        assertThat(operations
                        .replay(OutboxFilter.all(), OutboxPageRequest.of(10))
                        .changed())
                .isZero();
    }

    @Test
    void erasureDeletesWhatIsArchived() {
        operations.config = new CurrentConfig(TestConfig.of("outbox.retention.mode", "archive"));
        store.capture().write(keyed("b", "c", "d"));
        String kept = id("a").toString();
        UUID byId = id("c");
        RetentionConfig archived = new RetentionConfig(Duration.ZERO, Duration.ofDays(1), true, false);
        settle(archived, "b", "c", "d");

        assertThat(operations.erase(OutboxFilter.all().withKey("b"), OutboxPageRequest.of(10)))
                .isEqualTo(new TransactionalOperations.Erasure(0, null, 0, 0, 1));
        assertThat(operations.erase(byId)).isEqualTo(OutboxOutcome.DONE);
        assertThat(operations.erase(byId)).isEqualTo(OutboxOutcome.NOT_FOUND);
        assertThat(operations.erase(UUID.fromString(kept))).isEqualTo(OutboxOutcome.DONE);
        interposed.forEach(transaction -> transaction.afterCompletion(Status.STATUS_COMMITTED));
        assertThat(forgotten).containsExactly(byId.toString(), kept);

        assertThat(database.query("SELECT message_key FROM shop_archive")).containsExactly("d");
    }

    private void settle(RetentionConfig retention, String... texts) {
        List<Long> sequences = Stream.of(texts).map(database::sequence).toList();
        try (Claim claim = TestMessages.claim(store, limits(4, 100, 1_000_000))) {
            assertThat(claim.messages()).isNotEmpty();
            store.settlements().settleSent(sent(sequences, retention));
        }
    }

    /** An empty filter would erase the whole outbox. */
    @Test
    void erasureNamesSomebody() {
        OutboxPageRequest all = OutboxPageRequest.of(10);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> operations.erase(OutboxFilter.all().withEventType("OrderPlaced"), all));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        operations.erase(OutboxFilter.all().withKey("a").withStatus(OutboxStatus.PUBLISHED), all));
        assertThat(database.statuses()).containsExactly("PENDING");
    }

    @Test
    void copyThatIsSentAsNewDiffersInItsIdAndItsCauseOnly() {
        Context own = new Context("correlation", "causation", "tenant", Map.of("header", "1"));
        store.capture().write(List.of(context(message("b", "b"), own)));
        database.settle(OutboxStatus.PUBLISHED, "payload = 'b'");

        assertThat(operations.replayAsNew(id("b"))).isEqualTo(OutboxOutcome.DONE);

        List<OutboxMessage> both = operations.find(OutboxFilter.all().withKey("b"), OutboxPageRequest.of(10));
        OutboxMessage original = both.get(1);
        assertThat(both.get(0)).satisfies(copy -> {
            assertThat(copy.id()).isNotEqualTo(original.id());
            assertThat(copy.event()).isEqualTo(original.event());
            assertThat(copy.body()).isEqualTo(original.body());
            assertThat(copy.context().causationId()).isEqualTo(original.id().toString());
            assertThat(copy.context().correlationId()).isEqualTo("correlation");
            assertThat(copy.context().tenantId()).isEqualTo("tenant");
            assertThat(copy.context().headers()).containsOnly(Map.entry("header", "1"));
        });
        assertThat(original.delivery().status()).isEqualTo(OutboxStatus.PUBLISHED);
    }

    @Test
    void operationInBatchesHasAnAuditEntryForEachBatch() {
        store.capture().write(keyed("b", "c", "d", "e"));
        List<Long> sequences =
                Stream.of("a", "b", "c", "d", "e").map(database::sequence).toList();
        OutboxPageRequest two = OutboxPageRequest.of(2);

        assertThat(changes(two, request -> operations.discard(OutboxFilter.all(), request)))
                .containsExactly(2, 2, 1);

        assertThat(store.operations().audit().last(10, null))
                .extracting(OutboxAuditEntry::changed, OutboxAuditEntry::subject)
                .containsExactly(
                        tuple(1, subject(sequences.get(3), sequences.get(4) + 1)),
                        tuple(2, subject(sequences.get(1), sequences.get(4) + 1)),
                        tuple(2, "{}"));
        assertThat(operations.history(id("c")))
                .extracting(OutboxAuditEntry::subject)
                .containsExactly(subject(sequences.get(1), sequences.get(4) + 1));
    }

    private static String subject(long after, long before) {
        return "{\"afterSequence\":%d,\"beforeSequence\":%d}".formatted(after, before);
    }

    /** An application's loop must end, although each call may make as many messages match as it has changed. */
    @Test
    void loopOfRetriesEndsAlthoughTheMessagesFailAgain() {
        store.capture().write(keyed("b", "c", "d"));
        database.updateQueue("status = 1", "1 = 1");

        assertThat(changes(OutboxPageRequest.of(2), request -> {
                    OutboxChange change = operations.retry(OutboxFilter.all(), request);
                    store.capture().write(keyed("new"));
                    database.updateQueue("status = 1", "1 = 1");
                    return change;
                }))
                .containsExactly(2, 2, 0);
    }

    /** Consumers act on each copy. */
    @Test
    void loopCopiesEachMessageOnceAlthoughTheCopiesAreSent() {
        store.capture().write(keyed("b", "c"));
        database.settle(OutboxStatus.PUBLISHED, "1 = 1");

        assertThat(changes(OutboxPageRequest.of(2), request -> {
                    OutboxChange change = operations.replayAsNew(OutboxFilter.all(), request);
                    database.settle(OutboxStatus.PUBLISHED, "1 = 1");
                    return change;
                }))
                .containsExactly(2, 1);
        assertThat(database.query("SELECT payload FROM shop_message ORDER BY seq"))
                .containsExactly("a", "b", "c", "a", "b", "c");
    }

    /** The numbers of a loop that follows the requests for the rest; cut off where it is endless. */
    private static List<Integer> changes(OutboxPageRequest first, Function<OutboxPageRequest, OutboxChange> call) {
        return Stream.iterate(
                        call.apply(first),
                        Objects::nonNull,
                        done -> done.next() == null ? null : call.apply(done.next()))
                .limit(10)
                .map(OutboxChange::changed)
                .toList();
    }

    @Test
    void applicationAndDestinationsAreTheConfiguredOnes() {
        operations.config = new CurrentConfig(TestConfig.of(
                "outbox.application", "shop",
                "outbox.destinations.zoo.jndi", "jms/zoo",
                "outbox.destinations.audit.jndi", "jms/audit"));

        assertThat(operations.application()).isEqualTo("shop");
        assertThat(operations.destinations()).containsExactly("audit", "default", "zoo");
    }

    /** The client may have lost the answer. Consumers would act twice on a second copy. */
    @Test
    void repeatedBatchCopiesNoMessageTwice() {
        store.capture().write(keyed("b", "c"));
        database.settle(OutboxStatus.PUBLISHED, "1 = 1");
        OutboxPageRequest originals = OutboxPageRequest.of(100).withBefore(database.sequence("c") + 1);
        OutboxPageRequest two = OutboxPageRequest.of(2).withBefore(originals.before());

        OutboxPageRequest rest = two.withAfter(database.sequence("b"));
        assertThat(copy(two, NAME)).isEqualTo(new Change(2, rest));
        assertThat(copy(two, NAME)).as("repeated").isEqualTo(new Change(0, rest));
        assertThat(copy(originals, NAME)).as("the rest").isEqualTo(new Change(1, null));
        assertThat(database.statuses()).hasSize(6);

        assertThat(copy(originals, NAME.replace('9', '8')))
                .as("another operation")
                .isEqualTo(new Change(3, null));
        assertThat(database.statuses()).hasSize(9);
    }

    private OutboxChange copy(OutboxPageRequest request, String name) {
        return operations.executeBatch(MessageOperation.REPLAY_AS_NEW, OutboxFilter.all(), request, name);
    }

    private UUID id(String text) {
        return UUID.fromString(
                database.query("SELECT message_id FROM shop_message WHERE seq = " + database.sequence(text))
                        .get(0));
    }

    private List<String> statuses() {
        return operations.find(OutboxFilter.all(), OutboxPageRequest.of(10)).stream()
                .sorted(Comparator.comparing(OutboxMessage::sequence))
                .map(message -> message.body().text() + " " + message.delivery().status())
                .toList();
    }

    private Claim claim() {
        return TestMessages.claim(store, limits(4, 500, 1_000_000));
    }

    private void settle() {
        try (Claim claim = claim()) {
            List<Long> sequences =
                    claim.messages().stream().map(OutboxMessage::sequence).toList();
            store.settlements().settleSent(sent(sequences));
        }
    }

    private void callerIs(String name) {
        Principal principal = () -> name;
        operations.caller = answering(method -> method.equals("get") ? principal : Boolean.TRUE);
        actsAs(new ActingRole());
    }

    private void actsAs(ActingRole role) {
        operations.acting = answering(method -> method.equals("get") ? role : Boolean.TRUE);
    }

    private void end(int status) {
        interposed.forEach(Synchronization::beforeCompletion);
        interposed.forEach(synchronization -> synchronization.afterCompletion(status));
        interposed.clear();
    }

    @SuppressWarnings("unchecked")
    private static <T> Instance<T> answering(Function<String, Object> answers) {
        return (Instance<T>) Proxy.newProxyInstance(
                Instance.class.getClassLoader(),
                new Class<?>[] {Instance.class},
                (proxy, method, arguments) -> answers.apply(method.getName()));
    }
}
