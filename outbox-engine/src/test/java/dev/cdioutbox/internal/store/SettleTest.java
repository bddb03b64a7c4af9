package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.unsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.internal.store.settle.SentSettlement;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that a settle writes the outcome to exactly its rows, and fails if another node has settled one of them. */
class SettleTest extends StoreContract {
    private static final String GRIN = "\uD83D\uDE00";

    private final JdbcOutboxStore store = database.open(4);

    SettleTest(Database kind) {
        super(kind);
    }

    @AfterEach
    void eachMessageIsInOnePlace() {
        assertThat(database.misplaced()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 500})
    void exactlyTheRowsThatAreNamedAreSettled(int count) {
        store.capture().write(numbered(0, count + 1, 7));
        List<Long> sequences = database.query("SELECT seq FROM shop_message ORDER BY seq").stream()
                .limit(count)
                .map(Long::valueOf)
                .toList();

        assertThat(store.pendingRows().lockable(sequences)).hasSize(count);
        store.settlements().settleSent(sent(sequences));

        assertThat(database.query("SELECT seq FROM shop_message_view WHERE status = 'PUBLISHED' ORDER BY seq"))
                .containsExactlyElementsOf(
                        sequences.stream().map(String::valueOf).toList());
        assertThat(database.query("SELECT payload FROM shop_message_view WHERE status = 'PENDING'"))
                .containsExactly(String.valueOf(count));
    }

    @Test
    void publishedRowSaysSo() {
        store.capture().write(keyed("a"));
        long sequence = database.sequence("a");
        store.settlements().settleUnsent(unsent(List.of(failed(sequence, "refused"))));

        store.settlements().settleSent(sent(List.of(sequence)));

        OutboxMessage.Delivery delivery = store.finder()
                .find(OutboxFilter.all(), OutboxPageRequest.of(100))
                .get(0)
                .delivery();
        assertThat(delivery.status()).isEqualTo(OutboxStatus.PUBLISHED);
        assertThat(delivery.attempts()).isEqualTo(2);
        assertThat(delivery.lastError()).isNull();
        assertThat(delivery.publishedAt()).isNotNull().isEqualTo(delivery.lastAttemptAt());
        assertThat(database.query("SELECT seq FROM shop_queue")).isEmpty();
    }

    @Test
    void rowOfAProbeIsSettledSeenByNoQueryAndDeleted() {
        for (boolean archives : new boolean[] {false, true}) {
            for (Duration kept : new Duration[] {Duration.ZERO, Duration.ofHours(1)}) {
                RetentionConfig retention = new RetentionConfig(kept, Duration.ofHours(1), archives, false);
                long row = store.probes().insert();

                assertThat(store.finder().find(OutboxFilter.all(), OutboxPageRequest.of(100)))
                        .isEmpty();
                assertThat(store.status().backlog().pending()).isZero();
                store.probes().settle(row, retention);
                store.probes().delete(row);

                for (String table : List.of("message", "queue", "delivery", "archive")) {
                    assertThat(database.query("SELECT seq FROM shop_" + table))
                            .as(table)
                            .isEmpty();
                }
            }
        }
    }

    @Test
    void rowsOfProbesThatCrashedAreDeletedAfterAnHourAndOthersStay() {
        store.capture().write(keyed("a"));
        store.probes().insert();
        store.probes().settle(store.probes().insert(), RetentionConfig.DEFAULT);
        long running = store.probes().insert();
        Instant before = Instant.now().minus(Duration.ofHours(2));
        database.setTime("queue", "last_attempt_at", before, "seq <> " + running);
        database.setTime("delivery", "settled_at", before, "1 = 1");

        store.purge().removeNext(new RetentionConfig(Duration.ofDays(1), Duration.ofDays(1), false, false), 0);

        assertThat(database.query("SELECT seq FROM shop_queue ORDER BY seq"))
                .containsExactly(String.valueOf(running), String.valueOf(database.sequence("a")));
        assertThat(database.query("SELECT seq FROM shop_delivery")).isEmpty();
        store.probes().delete(running);
    }

    /** A broker's error text may contain control characters and half of a surrogate pair. */
    @Test
    void errorThatADatabaseWouldNotTakeIsKeptWithoutThat() {
        store.capture().write(keyed("a"));

        store.settlements()
                .settleUnsent(
                        unsent(List.of(failed(database.sequence("a"), "bad\u0000byte\u0007 and half a \uD83D grin"))));

        assertThat(database.query("SELECT last_error FROM shop_message_view"))
                .containsExactly("bad byte  and half a ? grin");
    }

    @Test
    void shadowedRowSaysWhereItWentUntilItIsReplayed() {
        store.capture().write(keyed("a", "b", "c"));
        long b = database.sequence("b");
        store.settlements()
                .settleSent(new SentSettlement(
                        List.of(database.sequence("a"), b), RetentionConfig.DEFAULT, "discard", Map.of()));
        store.settlements().settleSent(sent(List.of(database.sequence("c"))));

        assertThat(store.status().highestShadowed(DESTINATION)).isEqualTo(b);
        assertThat(store.status().highestShadowed("audit")).isNull();
        assertThat(store.finder().find(OutboxFilter.all().withShadowed(true), OutboxPageRequest.of(100)))
                .extracting(OutboxMessage::sequence, m -> m.delivery().status(), m -> m.delivery()
                        .shadowDestination())
                .containsExactly(
                        tuple(b, OutboxStatus.PUBLISHED, "discard"), tuple(b - 1, OutboxStatus.PUBLISHED, "discard"));
        assertThat(store.finder().find(OutboxFilter.all().withShadowed(false), OutboxPageRequest.of(100)))
                .extracting(OutboxMessage::sequence)
                .containsExactly(b + 1);
        assertThat(database.query("SELECT shadow_destination FROM shop_message_view ORDER BY seq"))
                .containsExactly("discard", "discard", null);

        change(store, MessageOperation.REPLAY, OutboxFilter.all().withShadowed(true));
        assertThat(store.status().highestShadowed(DESTINATION)).isNull();
        assertThat(database.statuses()).containsExactly("PENDING", "PENDING", "PUBLISHED");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shadowedRowIsKeptHoweverShortTheRetention(boolean archives) {
        store.capture().write(keyed("a"));

        store.settlements()
                .settleSent(new SentSettlement(
                        List.of(database.sequence("a")),
                        new RetentionConfig(Duration.ZERO, Duration.ZERO, archives, false),
                        "discard",
                        Map.of()));

        assertThat(database.query("SELECT shadow_destination FROM shop_message_view"))
                .containsExactly("discard");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 1500})
    void whatTheBrokerCallsAMessageIsKeptWithIt(int count) {
        store.capture().write(numbered(0, count, 7));
        List<Long> sequences = database.query("SELECT seq FROM shop_message ORDER BY seq").stream()
                .map(Long::valueOf)
                .toList();
        Map<Long, String> names = new HashMap<>();
        sequences.forEach(sequence -> names.put(sequence, "ID:" + sequence));
        names.remove(sequences.get(count / 2));

        store.settlements().settleSent(new SentSettlement(sequences, RetentionConfig.DEFAULT, null, names));

        assertThat(database.statuses()).containsOnly("PUBLISHED");
        assertThat(database.query("SELECT seq FROM shop_delivery WHERE broker_message_id IS NULL"))
                .containsExactly(String.valueOf(sequences.get(count / 2)));
        assertThat(store.finder().find(OutboxFilter.all(), OutboxPageRequest.of(100)))
                .allSatisfy(message ->
                        assertThat(message.delivery().brokerMessageId()).isEqualTo(names.get(message.sequence())));
    }

    @Test
    void longNameIsCut() {
        store.capture().write(keyed("a"));
        long sequence = database.sequence("a");

        store.settlements()
                .settleSent(new SentSettlement(
                        List.of(sequence), RetentionConfig.DEFAULT, null, Map.of(sequence, "x".repeat(300))));

        assertThat(database.query("SELECT broker_message_id FROM shop_message_view"))
                .containsExactly("x".repeat(255));
    }

    @Test
    void settlingARowTwiceIsAnError() {
        store.capture().write(keyed("a", "b"));
        List<Long> both = List.of(database.sequence("a"), database.sequence("b"));
        store.settlements().settleSent(sent(both.subList(0, 1)));

        assertThatThrownBy(() -> store.settlements().settleSent(sent(both)))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0305: 2 message(s) were sent but 1 settled")
                .hasMessageContaining("shop_queue");
    }

    @Test
    void chargingASettledRowIsAnError() {
        store.capture().write(keyed("a"));
        long sequence = database.sequence("a");
        store.settlements().settleSent(sent(List.of(sequence)));

        assertThatThrownBy(() -> store.settlements().settleUnsent(unsent(List.of(failed(sequence, "late")))))
                .hasMessageStartingWith("OBX-0305");
        assertThat(database.statuses()).containsExactly("PUBLISHED");
    }

    @Test
    void settlingAnAbandonedRowIsAnError() {
        store.capture().write(keyed("a"));
        long sequence = database.sequence("a");
        store.settlements()
                .settleUnsent(unsent(List.of(new Retry(sequence, OutboxStatus.ABANDONED, 1, null, "never", false))));

        assertThatThrownBy(() -> store.settlements().settleSent(sent(List.of(sequence))))
                .hasMessageStartingWith("OBX-0305");
        assertThat(database.statuses()).containsExactly("ABANDONED");
        assertThat(database.query("SELECT attempts FROM shop_message_view")).containsExactly("1");
    }

    @Test
    void longErrorIsCutBetweenCharacters() {
        store.capture().write(keyed("a", "b"));
        String even = GRIN.repeat(2500);
        String odd = "x" + even;

        store.settlements()
                .settleUnsent(
                        unsent(List.of(failed(database.sequence("a"), even), failed(database.sequence("b"), odd))));

        assertThat(database.query("SELECT last_error FROM shop_message_view ORDER BY seq"))
                .containsExactly(GRIN.repeat(1000), "x" + GRIN.repeat(999));
    }

    @Test
    void errorThatFitsIsKeptWhole() {
        assertThat(ColumnText.UNICODE.of(null, 9)).isNull();
        assertThat(ColumnText.UNICODE.of("x".repeat(9), 9)).hasSize(9);
        assertThat(ColumnText.UNICODE.of("x".repeat(10), 9)).hasSize(9);
        assertThat(ColumnText.UNICODE.of("x".repeat(7) + GRIN, 9)).endsWith(GRIN);
        assertThat(ColumnText.UNICODE.of("x".repeat(8) + GRIN, 9)).isEqualTo("x".repeat(8));
    }

    private static Retry failed(long sequence, String error) {
        return new Retry(sequence, OutboxStatus.FAILED, 1, Duration.ofHours(1), error, true);
    }
}
