package dev.cdioutbox.internal.operate.console;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.store.HeldUpKeys;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxNode;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards the reason that the console shows for a waiting message, and for the oldest one in its first line. */
@Tag("database")
class WaitReasonTest {
    private static final DestinationId DEFAULT = ofDefaultOutbox("default");

    private static final ThisNode NODE = new ThisNode("node-1", "shop", "host", "server", 1, "1.0");
    private static final GuaranteeReport AT_LEAST_ONCE =
            GuaranteeReport.of(Guarantee.AT_LEAST_ONCE, "H2", true, "a broker", true);

    private final AtomicLong nanos = new AtomicLong();
    private final Gauges gauges = new Gauges(nanos::get) {
        @Override
        public String node(String outbox) {
            return NODE.id();
        }
    };
    private final TestDatabase database = new TestDatabase();
    private final JdbcOutboxStore store = database.open(4);

    @BeforeEach
    void oneNodeDispatches() {
        store.nodes().writeHeartbeat(NODE, 0);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void sendThatNeverReturnsIsTheReason() {
        store.capture().write(List.of(message("a", "1")));

        gauges.guaranteeReported(DEFAULT, AT_LEAST_ONCE);
        assertThat(state(selected()).destinations().get("default"))
                .extracting(DestinationView::waiting, DestinationView::guarantee)
                .containsExactly(1, "at-least-once");
        gauges.began(DEFAULT);
        assertThat(why("a", selected())).isEqualTo("It is due, and waits for its turn.");
        pass(60);
        assertThat(why("a", selected())).contains("has waited for the broker or the database", "more than 1 min.");
        pass(60);
        assertThat(why("a", selected())).contains("more than 2 min.");
    }

    /** Such as a deleted row of a partition: then no claim finds the message. */
    @Test
    void problemOfTheTablesIsTheReason() {
        store.capture().write(List.of(message("a", "1")));
        gauges.storeChecked("default", "OBX-0322: messages wait in queues that do not exist");

        assertThat(why("a", selected()))
                .isEqualTo("The tables have a problem: OBX-0322: messages wait in queues that do not exist");
    }

    /** As the log and the doctor do. */
    @Test
    void stateShowsADestinationAfterASilenceOfAMinute() {
        SelectedOutbox second = new SelectedOutbox(
                new OutboxInstance("second", new CurrentConfig(TestConfig.ofOutbox("second")), store),
                new ServerlessOperations(store),
                gauges);
        gauges.began(DestinationId.of("second", "default"));
        pass(59);
        assertThat(destination(second).silentSeconds()).isNull();

        pass(1);
        assertThat(destination(second).silentSeconds()).isEqualTo(60);
        assertThat(destination(selected()).silentSeconds()).isNull();
    }

    /** Most messages in doubt end sooner. */
    @Test
    void doubtIsShownAfterAMinute() {
        gauges.inDoubt(DEFAULT, 2, Duration.ofSeconds(59));
        gauges.keysInDoubt(DEFAULT, new HeldUpKeys(2, 7, Duration.ZERO));
        assertThat(destination(selected()).inDoubt()).isNull();

        pass(1);
        assertThat(destination(selected()).inDoubt()).isEqualTo(new DestinationView.InDoubt(2, 60, 7));

        gauges.inDoubt(DEFAULT, 0, Duration.ZERO);
        assertThat(destination(selected()).inDoubt()).isNull();
    }

    @Test
    void failureOfTheDestinationIsTheReason() {
        store.capture().write(List.of(message("a", "1")));

        gauges.failed(DEFAULT, 1, new IllegalStateException("refused"));
        assertThat(why("a", selected())).startsWith("Its destination fails: ").contains("refused");
    }

    @Test
    void unconfiguredDestinationIsTheReason() {
        store.capture().write(List.of(message("OrderPlaced", "a", "1", "audit")));

        assertThat(why("a", selected()))
                .contains("has no such destination configured", "outbox.destinations.audit.jndi");
        assertThat(why("a", selected("outbox.destinations.audit.jndi", "jms/audit")))
                .isEqualTo("It is due, and waits for its turn.");
    }

    @Test
    void dispatcherThatIsSwitchedOffIsTheReasonWhereThereIsNoOther() {
        store.capture().write(List.of(message("a", "1")));
        SelectedOutbox off = selected("outbox.dispatcher.enabled", "false");

        assertThat(why("a", off)).contains("the dispatcher of the only node is switched off");
        assertThat(state(off).idle()).isTrue();

        store.nodes().writeHeartbeat(new ThisNode("node-2", "shop", "host", "other", 2, "1.0"), 0);
        assertThat(why("a", off)).contains("another one has to send it");
        assertThat(state(off).idle()).isFalse();
        assertThat(state(off).nodes())
                .filteredOn(node -> node.disabled())
                .singleElement()
                .satisfies(node -> assertThat(node.node().server()).isEqualTo("server"))
                .satisfies(node -> assertThat(node.here()).isTrue());
        assertThat(state(selected()).nodes()).noneMatch(StateView.NodeState::disabled);
    }

    @Test
    void nodesThatAreAllDeadAreTheReason() {
        store.capture().write(List.of(message("a", "1")));
        assertThat(state(selected()).idle()).isFalse();

        database.update("UPDATE shop_node SET last_tick_at = DATEADD(SECOND, -31, CURRENT_TIMESTAMP)");

        assertThat(why("a", selected())).isEqualTo("No node dispatches.");
        assertThat(state(selected()).idle()).isTrue();
    }

    @Test
    void abandonedMessageShowsWhetherItBlocksItsKey() {
        store.capture().write(List.of(message("a", "1"), message("a", "2"), message(null, "3")));
        SelectedOutbox blocking = selected("outbox.retry.on-abandon", "block");
        abandon("1", true);
        abandon("3", false);

        assertThat(why("a", blocking)).startsWith("It waits behind sequence 1 of the same key, which is abandoned");
        assertThat(WaitReason.of(blocking, found("2"), new Disclosure(Role.VIEWER))
                        .reason())
                .as("a viewer may not learn which messages have the same key")
                .hasValueSatisfying(
                        why -> assertThat(why).startsWith("It waits behind an earlier message of the same key"));
        assertThat(whyOf("1", blocking)).startsWith("The later messages of its key wait");
        assertThat(whyOf("1", selected())).startsWith("No message waits for it");
        assertThat(whyOf("3", blocking)).as("it has no key").isNull();
    }

    @Test
    void messagesInDoubtMayBeTheReasonOfALaterOneWithAKey() throws SQLException {
        store.capture().write(List.of(message("a", "1"), message("a", "2"), message(null, "3")));

        database.whileInDoubt(database.settling(List.of("1")), () -> {
            assertThat(whyOf("1", selected())).startsWith("A delivery holds it");
            gauges.inDoubt(DEFAULT, 1, Duration.ZERO);
            assertThat(why("a", selected())).contains("its destination has messages in doubt");
            assertThat(whyOf("3", selected())).isEqualTo("It is due, and waits for its turn.");
        });
    }

    @Test
    void rateOfTheDestinationIsTheReason() {
        store.capture().write(List.of(message("a", "1")));
        SelectedOutbox limited = selected("outbox.destinations.default.dispatcher.rate", "100");
        assertThat(destination(limited).heldBackTo()).isNull();

        gauges.heldBack(DEFAULT);

        assertThat(why("a", limited)).contains("at most 100 messages a second", "outbox.dispatcher.rate");
        assertThat(destination(limited).heldBackTo()).isEqualTo(100);
        assertThat(why("a", selected("outbox.destinations.default.dispatcher.rate", "1")))
                .contains("at most one message a second");
    }

    /** A dead node holds nothing, and one without partitions sends nothing. */
    @Test
    void nodesThatHoldPartitionsMaySendIt() throws SQLException {
        store.capture().write(List.of(message("a", "1"), message("b", "2")));
        store.nodes().writeHeartbeat(new ThisNode("node-2", "shop", "far", "two", 2, "1.0"), 3);
        store.nodes().writeHeartbeat(new ThisNode("node-3", "shop", "far", "three", 3, "1.0"), 3);
        database.update(
                "UPDATE shop_node SET last_tick_at = DATEADD(SECOND, -31, CURRENT_TIMESTAMP) WHERE node_id = 'node-3'");

        database.whileInDoubt(database.settling(List.of("1")), () -> {
            assertThat(whyOf("1", selected())).startsWith("A delivery of two on far holds it");
            assertThat(sendersOf("1")).extracting(OutboxNode::id).containsExactly("node-2");
            assertThat(sendersOf("2")).isNull();

            store.nodes().writeHeartbeat(new ThisNode("node-3", "shop", "far", "three", 3, "1.0"), 3);
            assertThat(whyOf("1", selected())).startsWith("A delivery of one of ");
        });
    }

    private List<OutboxNode> sendersOf(String text) {
        return WaitReason.of(selected(), found(text), new Disclosure(Role.OPERATOR))
                .senders();
    }

    @Test
    void stateNamesTheOldestMessageAndWhyItWaitsOnceThatTakesLong() {
        assertThat(state(selected()).stuck()).isNull();
        store.capture().write(List.of(message("a", "1"), message("b", "2")));
        assertThat(state(selected()).stuck()).isEqualTo(StateView.Stuck.NOT_KNOWN_YET);

        database.update(
                "UPDATE shop_message SET created_at = DATEADD(SECOND, -61, CURRENT_TIMESTAMP) WHERE payload = '2'");

        StateView.Stuck stuck = state(selected()).stuck();
        assertThat(stuck.id()).isEqualTo(found("2").id().toString());
        assertThat(stuck.why()).isEqualTo("It is due, and waits for its turn.");
    }

    /** The age of a delayed message counts from its time on, not from the insert of its row. */
    @Test
    void oldestIsFoundThoughItHadToWaitForItsTime() {
        store.capture().write(List.of(message("a", "1"), message("b", "2")));
        database.update("UPDATE shop_message SET created_at = DATEADD(HOUR, -1, CURRENT_TIMESTAMP),"
                + " not_before = DATEADD(HOUR, 1, CURRENT_TIMESTAMP) WHERE payload = '1'");
        database.update("UPDATE shop_message SET created_at = DATEADD(HOUR, -1, CURRENT_TIMESTAMP),"
                + " not_before = DATEADD(MINUTE, -3, CURRENT_TIMESTAMP) WHERE payload = '2'");

        assertThat(state(selected()).stuck().id()).isEqualTo(found("2").id().toString());
    }

    @Test
    void stateShowsThatANodeOnlyShadows() {
        assertThat(state(selected()).shadowDestination()).isNull();
        assertThat(state(selected("outbox.dispatcher.shadow-destination", "discard"))
                        .shadowDestination())
                .isEqualTo("discard");
    }

    private void pass(int seconds) {
        nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private void abandon(String text, boolean holdsKey) {
        store.settlements()
                .settleUnsent(unsent(
                        List.of(new Retry(database.sequence(text), OutboxStatus.ABANDONED, 1, null, "no", holdsKey))));
    }

    private DestinationView destination(SelectedOutbox selected) {
        return state(selected).destinations().get("default");
    }

    private StateView state(SelectedOutbox selected) {
        return StateView.of(
                selected, new ApiRequest("operator", Role.OPERATOR, Map.of()), Set.of("default"), List.of(), List.of());
    }

    /** The reason for the newest message with the key. */
    private String why(String key, SelectedOutbox selected) {
        OutboxMessage message = store.finder()
                .find(OutboxFilter.all().withKey(key), OutboxPageRequest.of(1))
                .get(0);
        return WaitReason.of(selected, message, new Disclosure(Role.OPERATOR))
                .reason()
                .orElse(null);
    }

    private String whyOf(String text, SelectedOutbox selected) {
        return WaitReason.of(selected, found(text), new Disclosure(Role.OPERATOR))
                .reason()
                .orElse(null);
    }

    private OutboxMessage found(String text) {
        return store.finder()
                .find(OutboxFilter.all(), OutboxPageRequest.ofSequence(database.sequence(text)))
                .get(0);
    }

    private SelectedOutbox selected(String... keysAndValues) {
        CurrentConfig config = new CurrentConfig(TestConfig.of(keysAndValues));
        return new SelectedOutbox(
                new OutboxInstance("default", config, store), new ServerlessOperations(store), gauges);
    }
}
