package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.claim.DestinationReservation;
import dev.cdioutbox.internal.store.claim.Reservation;
import dev.cdioutbox.internal.store.inbox.JdbcInbox;
import dev.cdioutbox.internal.store.inbox.Position;
import dev.cdioutbox.internal.store.inbox.Position.Order;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.open.LostKeys;
import dev.cdioutbox.internal.store.operate.BackfillTable;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.operate.OperatorStore;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.settle.SentSettlement;
import dev.cdioutbox.internal.store.settle.UnsentSettlement;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;

/** Calls the store until each SQL statement of the outbox has run at least once. */
public final class EveryStatement {
    private static final boolean DELETE = false;
    private static final boolean ARCHIVE = true;
    private static final ThisNode NODE = new ThisNode("n", "shop", "host", "server", 1, "1.0");
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration AGO = Duration.ofSeconds(-1);

    /** The names of a failure of a claim, by its steps. */
    static final String CLAIMING = "claiming messages|looking for messages in doubt|maintaining blocked keys";

    private final JdbcOutboxStore store;
    private final Runner runner;
    private final ClaimLimits limits = TestMessages.limits(64, 500, 1_000_000);
    private final Supplier<Reservation> reservations;
    private Claim open;

    /** Makes a call. A runner may repeat a failed call. */
    interface Runner {
        void run(Step step);
    }

    /**
     * One call.
     *
     * @param name a regular expression for the operation that a failure names
     * @param kind how the call relates to its caller's transaction
     */
    record Step(String name, Kind kind, Runnable call) {}

    enum Kind {
        /** In the caller's transaction. */
        INSIDE,
        /** In one transaction of its own. */
        APART,
        /**
         * In several transactions of its own. A failure between two of them leaves the status and the content of each
         * message unchanged.
         */
        IN_PARTS
    }

    /** @param reservations how a claim reserves its partitions */
    private EveryStatement(JdbcOutboxStore store, Supplier<Reservation> reservations, Runner runner) {
        this.store = store;
        this.runner = runner;
        this.reservations = reservations;
    }

    /** Requires a store without waiting messages. Leaves no messages except archived ones, and the audit entries. */
    public static void run(JdbcOutboxStore store) {
        run(store, () -> store.claims().rowLocks(DESTINATION), step -> step.call()
                .run());
    }

    static void run(JdbcOutboxStore store, Supplier<Reservation> reservations, Runner runner) {
        EveryStatement every = new EveryStatement(store, reservations, runner);
        every.deliver();
        every.waitForRetries();
        every.doubt();
        every.probe();
        every.lease();
        every.hold();
        every.steer();
        every.retain();
        every.operate();
        every.backfill();
        every.look();
        every.receive();
        every.accept();
        every.capture();
    }

    private void deliver() {
        write(keyed("a", "b", "c", "d"));
        Terms before = new Terms(Instant.now().minusSeconds(60), Duration.ofSeconds(30), 3);
        write(List.of(terms(message("a", "later"), before)));
        apart(
                "looking for the next due message",
                () -> assertThat(store.delayed().untilNextDue(DESTINATION)).isNull());
        apart("moving delayed messages", () -> assertThat(store.delayed().release(DESTINATION))
                .isTrue());
        inside("reading the backlog", () -> assertThat(store.status().backlog().pending())
                .isEqualTo(5));
        inside(
                "reading the backlog",
                () -> assertThat(store.status().waiting(DESTINATION).messages()).isEqualTo(5));
        OutboxFilter some = OutboxFilter.all().withCreated(null, Instant.now().plusSeconds(3600));
        inside("looking for messages", () -> assertThat(
                        store.finder().page(some, OutboxPageRequest.of(100)).messages())
                .hasSize(5));
        inside("looking for messages", () -> assertThat(store.finder()
                        .page(some.withCreated(null, Instant.now().minusSeconds(7200)), OutboxPageRequest.of(100))
                        .messages())
                .isEmpty());
        inside("looking for messages", () -> assertThat(store.finder()
                        .page(some.withStatus(OutboxStatus.PENDING), OutboxPageRequest.of(100))
                        .messages())
                .hasSize(5));
        inside("looking for messages", () -> assertThat(store.finder()
                        .list(some.withStatus(OutboxStatus.PENDING), OutboxPageRequest.of(100))
                        .messages())
                .hasSize(5));
        apart("looking for waiting messages", () -> assertThat(store.claims().waitingDestinations())
                .containsExactly(DESTINATION));
        Map<String, Long> claimed = claimed("a", "b", "c", "d", "later");
        List<Long> all = List.copyOf(claimed.values());
        apart(
                "looking for messages in doubt",
                () -> assertThat(store.pendingRows().lockable(all)).hasSize(5));
        apart(
                "looking for messages in doubt",
                () -> assertThat(store.pendingRows().pending(all)).hasSize(5));
        apart(
                "looking for messages in doubt",
                () -> assertThat(store.pendingRows().pendingIds(all)).hasSize(5));
        apart("counting a send", () -> assertThat(store.pendingRows().countUnfinishedSend(claimed.get("a"), 1))
                .isTrue());
        settle(new SentSettlement(
                List.of(claimed.get("a"), claimed.get("b")),
                retention(Duration.ofDays(1), DELETE),
                null,
                Map.of(claimed.get("a"), "ID:a")));
        settle(unsent(
                List.of(claimed.get("later")),
                List.of(
                        failed(claimed.get("c"), Duration.ZERO),
                        new Retry(claimed.get("d"), OutboxStatus.ABANDONED, 1, null, "never", false)),
                retention(Duration.ofDays(1), DELETE)));
        inside("reading the backlog", () -> assertThat(store.status().backlog().abandoned())
                .isEqualTo(1));
        inside("looking for messages", () -> assertThat(
                        store.finder().find(OutboxFilter.all(), OutboxPageRequest.of(100)))
                .hasSize(5));
        settleAll(Duration.ZERO, DELETE, "c");
        lookForCrashes();
    }

    private void lookForCrashes() {
        write(keyed("x", "y"));
        Map<String, Long> claimed = claimed("x", "y");
        String crashed = OutboxCode.CRASHED_ITS_PROCESS.text();
        settle(unsent(List.of(new Retry(claimed.get("x"), OutboxStatus.ABANDONED, 1, null, crashed, false))));
        settle(unsent(List.of(new Retry(
                claimed.get("y"),
                OutboxStatus.FAILED,
                1,
                Duration.ZERO,
                OutboxCode.CRASHES_STOP_DESTINATION.text("default", 1L),
                true))));
        inside("looking for crashes", () -> assertThat(store.crashes().crashedSinceDelivery(DESTINATION))
                .isEqualTo(claimed.get("x")));
        inside("looking for crashes", () -> assertThat(store.crashes().stoppedBy(DESTINATION))
                .isEqualTo(claimed.get("y")));
        settleAll(Duration.ofDays(1), DELETE, "y");
        inside("looking for crashes", () -> assertThat(store.crashes().crashedSinceDelivery(DESTINATION))
                .isNull());
        inside("looking for crashes", () -> assertThat(store.crashes().stoppedBy(DESTINATION))
                .isNull());
    }

    /** Runs the statements for a blocked key and for the messages that wait behind it. */
    private void waitForRetries() {
        write(Stream.of("1", "2", "3").map(text -> message("g", text)).toList());
        write(keyed("y"));
        Map<String, Long> first = claimed("1", "2", "3", "y");
        settle(unsent(List.of(failed(first.get("1"), HOUR))));
        step(CLAIMING, Kind.IN_PARTS, () -> {
            try (Claim claim = claim(TestMessages.limits(64, 1, 1))) {
                assertThat(claim.messages()).hasSizeLessThanOrEqualTo(1);
            }
        });
        claimed("y");
        operate(MessageOperation.RETRY, OutboxFilter.all().withKey("g").withStatus(OutboxStatus.FAILED), 1);
        Map<String, Long> behind = claimed("1", "2", "3", "y");
        // The retry of the second message makes the key due, although the first message still waits. A claim must
        // correct this.
        settle(sent(List.of(behind.get("y"))));
        settle(unsent(List.of(failed(behind.get("1"), HOUR), failed(behind.get("2"), AGO))));
        claimed();
        operate(MessageOperation.RETRY, OutboxFilter.all().withKey("g").withStatus(OutboxStatus.FAILED), 2);
        Map<String, Long> due = claimed("1", "2", "3");
        settle(sent(List.of(due.get("2"), due.get("3"))));
        settle(unsent(List.of(failed(due.get("1"), AGO))));
        settle(unsent(List.of(new Retry(due.get("1"), OutboxStatus.ABANDONED, 2, null, "never", false))));
        // This claim finds a blocked key without messages.
        step(CLAIMING, Kind.IN_PARTS, () -> claim(limits).close());
        write(List.of(message("g", "4")));
        settleAll(Duration.ZERO, DELETE, "4");
        lose();
    }

    /** Runs the statement that brings messages home whose blocked key is gone. */
    private void lose() {
        write(List.of(message("z", "z1"), message("z", "z2")));
        settle(unsent(List.of(failed(claimed("z1", "z2").get("z1"), HOUR))));
        assertThat(LostKeys.delete(store, "z")).isEqualTo(1);
        operate(MessageOperation.RETRY, OutboxFilter.all().withKey("z").withStatus(OutboxStatus.FAILED), 1);
        // What an operator has retried does not expire.
        long retried = claimed("z1", "z2").get("z1");
        settle(unsent(List.of(retried), List.of(), retention(Duration.ZERO, DELETE)));
        settleAll(Duration.ZERO, DELETE, "z1", "z2");
    }

    /** Runs the statements that read on behind messages in doubt, and that find keys committed between two pages. */
    private void doubt() {
        write(keyed("x1", "x2"));
        ClaimLimits one = TestMessages.limits(64, 1, 1_000);
        step(CLAIMING, Kind.IN_PARTS, () -> TestMessages.claim(store, reservations.get(), 0, one, rows -> Set.of())
                .close());
        settleAll(Duration.ZERO, DELETE, "x1", "x2");
    }

    private void probe() {
        AtomicLong row = new AtomicLong();
        apart("inserting the row of a probe", () -> row.set(store.probes().insert()));
        inside("settling the row of a probe", () -> store.probes().settle(row.get(), RetentionConfig.DEFAULT));
        apart("deleting the row of a probe", () -> store.probes().delete(row.get()));
        inside("looking at the prepared transactions", () -> store.probes().preparedTransactions());
    }

    private void lease() {
        write(keyed("l"));
        Reservation lease = store.claims().lease(DESTINATION, Duration.ofMinutes(1));
        step(CLAIMING, Kind.IN_PARTS, () -> open = TestMessages.claim(store, lease, limits));
        apart("renewing a lease", store.claims()::renewLeases);
        Long held = open.messages().get(0).sequence();
        inside("settling messages", () -> {
            lease.prove();
            store.settlements().settleSent(sent(List.of(held)));
        });
        step("giving back a claim", Kind.IN_PARTS, () -> open.close());
    }

    /** Runs the statements of a destination that one node sends as a whole. */
    private void hold() {
        write(keyed("h"));
        TestMessages.LastOwner owner = new TestMessages.LastOwner();
        DestinationReservation whole = store.claims().wholeDestination(DESTINATION, owner);
        step(CLAIMING, Kind.IN_PARTS, () -> {
            try (Claim claim = TestMessages.claim(store, whole, limits)) {
                assertThat(claim.messages()).hasSize(1);
            }
        });
        FencingToken before = owner.token;
        FencingToken one = (before == null ? FencingToken.first() : before).takenOver();
        String noting = "noting a settled batch";
        inside(noting, () -> assertThat(whole.replace(before, one)).isTrue());
        inside(noting, () -> assertThat(whole.replace(one, one.next())).isTrue());
        settleAll(Duration.ZERO, DELETE, "h");
    }

    /** Runs the statements of change data capture, if a destination has it. */
    private void capture() {
        store.cdc().destinations().forEach(destination -> {
            NewMessage captured = message("OrderPlaced", "n", "captured", destination);
            inside("writing messages", () -> store.capture().write(List.of(captured)));
            purge(DELETE);
        });
    }

    /** Runs the statements of a settle after an operator has changed the messages. */
    private void steer() {
        write(keyed("t", "u"));
        Map<String, Long> claimed = claimed("t", "u");
        operate(MessageOperation.DISCARD, OutboxFilter.all().withStatus(OutboxStatus.PENDING), 2);
        settle(sent(List.of(claimed.get("t"))));
        settle(unsent(List.of(failed(claimed.get("u"), HOUR))));
        write(keyed("v"));
        Long retried = claimed("v").get("v");
        settle(unsent(List.of(failed(retried, HOUR))));
        inside("counting blocked keys", () -> store.heldUp().blocked());
        inside("counting keys in doubt", () -> store.heldUp().inDoubt(Set.of(retried)));
        inside("looking for blocked keys", () -> assertThat(
                        store.operations().blockedKeys().find(10).keys())
                .hasSize(1));
        operate(MessageOperation.RETRY, OutboxFilter.all().withKey("v"), 1);
        settle(unsent(List.of(new Retry(retried, OutboxStatus.ABANDONED, 2, null, "never", false))));
        settleAll(Duration.ZERO, DELETE, "v");
        inside("looking for messages", () -> assertThat(store.finder().find(List.copyOf(claimed.values())))
                .extracting(m -> m.delivery().status())
                .containsExactly(OutboxStatus.PUBLISHED, OutboxStatus.DISCARDED));
        inside("looking for messages", () -> assertThat(store.finder()
                        .list(OutboxFilter.all(), OutboxPageRequest.of(100))
                        .messages())
                .isNotEmpty());
    }

    private void retain() {
        operate(MessageOperation.RETRY, OutboxFilter.all().withKey("d"), 1);
        settleAll(Duration.ZERO, ARCHIVE, "d");
        write(keyed("e"));
        write(List.of(terms(message("f", "f"), new Terms(null, MOMENT, null))));
        Map<String, Long> claimed = claimed("e", "f");
        RetentionConfig erasing = new RetentionConfig(HOUR, HOUR, false, true);
        settle(sent(List.of(claimed.get("e")), erasing));
        settle(unsent(List.of(claimed.get("f")), List.of(), erasing));
        operate(MessageOperation.REPLAY, OutboxFilter.all().withKey("e"), 0);
        write(keyed("s"));
        settle(new SentSettlement(
                List.copyOf(claimed("s").values()), retention(Duration.ZERO, DELETE), "elsewhere", Map.of()));
        inside("looking for what was shadowed", () -> assertThat(store.status().highestShadowed(DESTINATION))
                .isNotNull());
        purge(ARCHIVE);
        purge(DELETE);
        inside("looking for messages", () -> assertThat(
                        store.finder().find(OutboxFilter.all(), OutboxPageRequest.of(100)))
                .isEmpty());
    }

    private void purge(boolean archives) {
        // A negative age also includes rows that are settled within the next second: the purge need not wait for a
        // clock.
        RetentionConfig all = new RetentionConfig(AGO, AGO, archives, false);
        apart(
                "purging messages",
                () -> assertThat(store.purge().removeNext(all, 0).isEnd()).isTrue());
        RetentionConfig longer = new RetentionConfig(Duration.ofDays(1), AGO, archives, false);
        apart(
                "purging messages",
                () -> assertThat(store.purge().removeNext(longer, 0).isEnd()).isTrue());
    }

    private void operate() {
        OperatorStore operations = store.operations();
        write(keyed("o"));
        OutboxFilter filter = OutboxFilter.all().withKey("o");
        operate(MessageOperation.DISCARD, filter, 1);
        operate(MessageOperation.REPLAY, filter, 1);
        inside("looking for messages", () -> assertThat(
                        store.finder().candidates(MessageOperation.DISCARD, filter, OutboxPageRequest.of(100)))
                .hasSize(1));
        inside("counting messages", () -> assertThat(store.finder()
                        .countCandidates(MessageOperation.DISCARD, filter, OutboxPageRequest.of(100), 10)
                        .count())
                .isEqualTo(1));
        inside("looking for a message", () -> assertThat(operations.sequence("nobody's"))
                .isNull());
        inside("pausing", () -> assertThat(operations.pause(DESTINATION, true, "operator"))
                .isTrue());
        inside("pausing", () -> assertThat(operations.pause(DESTINATION, true, "operator"))
                .isFalse());
        claimed();
        inside("resuming", () -> assertThat(operations.pause(DESTINATION, false, "operator"))
                .isTrue());
        OutboxMessage noted =
                store.finder().find(filter, OutboxPageRequest.of(100)).get(0);
        inside(
                "writing the audit",
                () -> operations.audit().insert("operator", null, "RETRY", "{}", 1, List.of(noted.sequence())));
        inside("reading a message\'s history", () -> assertThat(
                        operations.audit().lastOfMessage(noted.id().toString(), 10))
                .hasSize(1));
        inside("reading the audit", () -> assertThat(operations.audit().last(10, null))
                .isNotEmpty());
        settleAll(Duration.ZERO, DELETE, "o");
        erase();
    }

    /** Requires an archived message with the key "d". */
    private void erase() {
        write(keyed("p"));
        List<Long> waiting = store.finder()
                .candidates(MessageOperation.ERASE, OutboxFilter.all().withKey("p"), OutboxPageRequest.of(100));
        inside(
                "erasing messages",
                () -> assertThat(store.operations().erase(waiting).sequences()).hasSize(1));
        inside("erasing archived messages", () -> assertThat(
                        store.operations().eraseArchived(OutboxFilter.all().withKey("d")))
                .isPositive());
        inside("erasing archived messages", () -> assertThat(store.operations().eraseArchived("nobody's"))
                .isZero());
        purge(DELETE);
    }

    /** From a destination to itself, which has the message, waiting. */
    private void backfill() {
        BackfillTable backfills = store.backfills();
        String copying = "backfilling destination";
        write(keyed("p"));
        inside("starting a backfill", () -> assertThat(
                        backfills.start(DESTINATION, DESTINATION, "OrderPlaced", Instant.EPOCH))
                .isTrue());
        inside("looking for backfills", () -> assertThat(backfills.running()).containsExactly(DESTINATION));
        apart(copying, () -> assertThat(backfills.copyNext(DESTINATION, false).hasCopiedAll())
                .isFalse());
        apart(copying, () -> assertThat(backfills.copyNext(DESTINATION, false).present())
                .isPositive());
        inside("cancelling a backfill", () -> assertThat(backfills.cancel(DESTINATION))
                .isFalse());
        settleAll(Duration.ZERO, DELETE, "p");
        apart(copying, () -> assertThat(backfills.copyNext(DESTINATION, false).isRunning())
                .isFalse());
        inside("reading backfills", () -> assertThat(backfills.all()).hasSize(1));
    }

    private void look() {
        inside("writing this node's row", () -> store.nodes().writeHeartbeat(NODE, 0));
        inside("writing this node's row", () -> store.nodes().writeHeartbeat(NODE, 0));
        inside("reading the nodes' rows", () -> assertThat(store.nodes().all()).isNotEmpty());
        inside("deleting a node's row", () -> assertThat(store.nodes().delete(NODE.id()))
                .isTrue());
        apart("writing a text", () -> assertThat(store.texts().damage()).isNull());
        String looking = "looking at the tables";
        apart(looking, () -> {
            String problem = store.problem();
            if (problem != null) {
                throw OutboxCode.DATABASE_FAILED.exception(looking, problem);
            }
        });
    }

    private void receive() {
        JdbcInbox inbox = store.inbox();
        String noting = "noting a message as handled";
        inside(noting, () -> assertThat(inbox.enter("consumer", "id")).isTrue());
        inside(noting, () -> assertThat(inbox.enter("consumer", "id")).isFalse());
        String advancing = "noting how far a key has come";
        inside(advancing, () -> assertThat(inbox.advance("consumer", "key", new Position(2, Instant.EPOCH)))
                .isEqualTo(Order.IN_ORDER));
        inside(advancing, () -> assertThat(inbox.advance("consumer", "key", new Position(1, Instant.EPOCH)))
                .isEqualTo(Order.OVERTAKEN));
        step("purging the inbox", Kind.IN_PARTS, () -> inbox.purge(Duration.ofSeconds(-10), 100));
        inside(noting, () -> assertThat(inbox.enter("consumer", "id")).isTrue());
        step("purging the inbox", Kind.IN_PARTS, () -> inbox.purge(Duration.ofSeconds(-10), 100));
    }

    /** Runs the statements for received messages that wait for a handler, or are set aside. */
    private void accept() {
        NewMessage waiting = message("i", "i");
        inside("writing messages", () -> store.accepted().store(waiting, true));
        inside(
                "looking for a received message",
                () -> assertThat(store.accepted().isStored(waiting.id())).isTrue());
        inside("writing messages|setting a received message aside", () -> store.accepted()
                .setAside(message("i", "j"), "late"));
        settleAll(Duration.ZERO, DELETE, "i");
        operate(MessageOperation.RETRY, OutboxFilter.all().withKey("i"), 1);
        settleAll(Duration.ZERO, DELETE, "j");
    }

    private void write(List<NewMessage> messages) {
        inside("writing messages", () -> store.capture().write(messages));
    }

    private void settle(SentSettlement sent) {
        inside("settling messages", () -> store.settlements().settleSent(sent));
    }

    private void settle(UnsentSettlement unsent) {
        inside("settling messages", () -> store.settlements().settleUnsent(unsent));
    }

    private void settleAll(Duration published, boolean archives, String... texts) {
        List<Long> claimed = List.copyOf(claimed(texts).values());
        settle(sent(claimed, retention(published, archives)));
    }

    private void operate(MessageOperation change, OutboxFilter filter, int changed) {
        inside("changing messages|looking for messages", () -> assertThat(change(store, change, filter))
                .hasSize(changed));
        store.operations().changeCommitted();
    }

    /** Claims until exactly these messages are due. */
    private Map<String, Long> claimed(String... texts) {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        Map<String, Long> claimed = claim();
        while (!claimed.keySet().equals(Set.of(texts)) && System.nanoTime() < end) {
            claimed = claim();
        }
        assertThat(claimed).containsOnlyKeys(texts);
        return claimed;
    }

    /** Claims again, up to three times, while a claim did maintenance instead of reading all that is due. */
    private Map<String, Long> claim() {
        Map<String, Long> claimed = new HashMap<>();
        step(CLAIMING, Kind.IN_PARTS, () -> {
            boolean again = true;
            for (int attempt = 0; again && attempt < 3; attempt++) {
                try (Claim claim = claim(limits)) {
                    claimed.clear();
                    claim.messages().forEach(m -> claimed.put(m.body().text(), m.sequence()));
                    again = claim.maintain();
                }
            }
        });
        return claimed;
    }

    private Claim claim(ClaimLimits some) {
        return TestMessages.claim(store, reservations.get(), some);
    }

    private void inside(String name, Runnable call) {
        step(name, Kind.INSIDE, call);
    }

    private void apart(String name, Runnable call) {
        step(name, Kind.APART, call);
    }

    private void step(String name, Kind kind, Runnable call) {
        runner.run(new Step(name, kind, call));
    }

    private static Retry failed(long sequence, Duration delay) {
        return new Retry(sequence, OutboxStatus.FAILED, 1, delay, "no", true);
    }

    private static RetentionConfig retention(Duration published, boolean archives) {
        return new RetentionConfig(published, Duration.ofDays(30), archives, false);
    }
}
