package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.inbox.JdbcInbox;
import dev.cdioutbox.internal.store.inbox.Position;
import dev.cdioutbox.internal.store.inbox.Position.Order;
import org.junit.jupiter.api.Test;

/** Guards that the inbox recognizes a duplicate, for each consumer, until a purge deletes the entry. */
class InboxTest extends InboxContract {
    private static final Duration DAY = Duration.ofDays(1);

    InboxTest(Database kind) {
        super(kind);
    }

    @Test
    void messageIsNewOnceToEachConsumer() throws SQLException {
        assertThat(handled(inbox -> inbox.enter("shipping", "m1"))).isTrue();

        assertThat(handled(inbox -> inbox.enter("shipping", "m1"))).isFalse();
        assertThat(handled(inbox -> inbox.enter("billing", "m1"))).isTrue();
        assertThat(handled(inbox -> inbox.enter("shipping", "m2"))).isTrue();
    }

    @Test
    void applicationsThatShareTheTablesHaveInboxesOfTheirOwn() {
        direct.enter("shipping", "m1");
        advance(direct, "shipping", "order-1", 7);
        JdbcInbox other = database.open(SchemaMode.CREATE, "other", 1).inbox();

        assertThat(other.enter("shipping", "m1")).isTrue();
        assertThat(advance(other, "shipping", "order-1", 3)).isTrue();
        other.purge(Duration.ofDays(-1), 10);
        assertThat(direct.enter("shipping", "m1")).isFalse();
        assertThat(advance(direct, "shipping", "order-1", 3)).isFalse();
    }

    @Test
    void idsAndKeysAreComparedByteByByte() {
        for (String id : List.of("A", "a", "a ", "ä", "x".repeat(JdbcInbox.MAX_ID_LENGTH))) {
            assertThat(direct.enter("shipping", id)).as(id).isTrue();
            assertThat(advance(direct, "shipping", id, 1)).as(id).isTrue();
            assertThat(direct.enter("shipping", id)).as(id).isFalse();
        }
    }

    @Test
    void rollbackLeavesNoTrace() throws SQLException {
        try (TransactionSource node = node()) {
            JdbcInbox inbox = inbox(node);
            node.begin();
            assertThat(inbox.enter("shipping", "m1")).isTrue();
            assertThat(advance(inbox, "shipping", "order-1", 7)).isTrue();
            node.connection().rollback();
        }

        assertThat(direct.enter("shipping", "m1")).isTrue();
        assertThat(advance(direct, "shipping", "order-1", 3)).isTrue();
    }

    @Test
    void transactionIsUsableAfterADuplicate() throws SQLException {
        direct.enter("shipping", "m1");

        try (TransactionSource node = node()) {
            JdbcInbox inbox = inbox(node);
            node.begin();
            assertThat(inbox.enter("shipping", "m0")).isTrue();
            assertThat(inbox.enter("shipping", "m1")).isFalse();
            assertThat(inbox.enter("shipping", "m2")).isTrue();
            node.commit();
        }

        assertThat(database.query("SELECT message_id FROM shop_inbox ORDER BY message_id"))
                .containsExactly("m0", "m1", "m2");
    }

    @Test
    void keyGoesForwardOnly() {
        assertThat(advance(direct, "shipping", "order-1", 7)).isTrue();
        assertThat(advance(direct, "shipping", "order-1", 9)).isTrue();
        assertThat(advance(direct, "shipping", "order-1", 8)).isFalse();
        assertThat(advance(direct, "shipping", "order-1", 10)).isTrue();
        assertThat(advance(direct, "shipping", "order-1", 10)).as("not later").isTrue();
        assertThat(advance(direct, "shipping", "order-2", 1)).isTrue();
        assertThat(advance(direct, "billing", "order-1", 1)).isTrue();
        assertThat(database.query("SELECT last_sequence FROM shop_inbox_key WHERE message_key = ?", "order-2"))
                .containsExactly("1");
    }

    @Test
    void laterMessageWhoseSequenceBeganAgainWasNotOvertaken() {
        Instant noon = Instant.parse("2026-01-01T12:00:00.123456Z");
        Position last = new Position(900, noon);
        assertThat(direct.advance("shipping", "order-1", last)).isEqualTo(Order.IN_ORDER);
        Instant later = noon.plusSeconds(121);

        assertThat(direct.advance("shipping", "order-1", new Position(1, later)))
                .isEqualTo(Order.SEQUENCE_BEGAN_AGAIN);
        assertThat(direct.advance("shipping", "order-1", new Position(899, noon.plusSeconds(1))))
                .isEqualTo(Order.OVERTAKEN);
        assertThat(direct.advance("shipping", "order-1", new Position(901, null)))
                .isEqualTo(Order.IN_ORDER);
        assertThat(direct.advance("shipping", "order-1", new Position(1, later)))
                .as("when the last one occurred is unknown")
                .isEqualTo(Order.OVERTAKEN);
        assertThat(database.query("SELECT last_sequence FROM shop_inbox_key")).containsExactly("901");
    }

    @Test
    void purgeForgetsWhatIsOldEnoughInBoundedPieces() {
        for (int i = 0; i < 5; i++) {
            direct.enter("shipping", "m" + i);
            advance(direct, "shipping", "order-" + i, 1);
        }
        assertThat(direct.purge(DAY, 10)).isZero();
        age("inbox", DAY.plusSeconds(10));
        age("inbox_key", DAY.plusSeconds(10));
        direct.enter("shipping", "young");
        advance(direct, "shipping", "young", 1);

        assertThat(direct.purge(DAY, 2)).isEqualTo(2);
        assertThat(database.query("SELECT COUNT(*) FROM shop_inbox")).containsExactly("4");
        assertThat(keys()).hasSize(4);
        assertThat(direct.purge(DAY, 2)).isEqualTo(2);
        assertThat(direct.purge(DAY, 2)).isEqualTo(1);
        assertThat(direct.purge(DAY, 2)).isZero();

        assertThat(database.query("SELECT message_id FROM shop_inbox")).containsExactly("young");
        assertThat(keys()).containsExactly("young");
        assertThat(direct.enter("shipping", "m0")).isTrue();
    }

    @Test
    void lateMessageDoesNotWinBecauseTheMemoryOfItsKeyWasPurged() {
        for (String key : List.of("order-1", "order-2")) {
            advance(direct, "shipping", key, key.equals("order-1") ? 3 : 5);
        }
        age("inbox_key", DAY.plusSeconds(10));
        assertThat(direct.purge(DAY, 10)).isEqualTo(2);

        assertThat(advance(direct, "shipping", "order-1", 1)).isFalse();
        assertThat(advance(direct, "shipping", "order-3", 4))
                .as("nobody knows whether it is late")
                .isFalse();
        assertThat(advance(direct, "shipping", "order-1", 6)).isTrue();
        assertThat(advance(direct, "billing", "order-1", 1))
                .as("of another consumer nothing was purged")
                .isTrue();
        age("inbox_key", DAY.plusSeconds(10));
        assertThat(direct.purge(DAY, 10)).isEqualTo(2);
        assertThat(direct.advance("shipping", "order-3", new Position(5, null))).isEqualTo(Order.FORGOTTEN);
        assertThat(direct.purge(DAY.negated(), 10)).isZero();
    }

    /** A caller purges again while a piece was full, in either table, so the result is the larger count. */
    @Test
    void purgeReportsTheTableThatHasMore() {
        direct.enter("shipping", "m1");
        direct.enter("shipping", "m2");
        advance(direct, "shipping", "order-1", 1);
        assertThat(direct.purge(DAY.negated(), 2)).isEqualTo(2);

        direct.enter("shipping", "m3");
        advance(direct, "shipping", "order-2", 2);
        advance(direct, "billing", "order-3", 1);
        assertThat(direct.purge(DAY.negated(), 2)).isEqualTo(2);
    }

    @Test
    void keyThatIsStillUsedIsNotForgotten() {
        advance(direct, "shipping", "order-1", 1);
        age("inbox_key", DAY.plusSeconds(10));
        advance(direct, "shipping", "order-1", 2);

        assertThat(direct.purge(DAY, 2)).isZero();
        assertThat(advance(direct, "shipping", "order-1", 1)).isFalse();
    }

    /** The keys of messages. */
    private List<String> keys() {
        return database.query("SELECT message_key FROM shop_inbox_key WHERE message_key <> ''");
    }

    private void age(String table, Duration by) {
        database.update(
                "UPDATE shop_%s SET received_at = %s"
                        .formatted(table, database.kind().dialect().nowPlusMillis("?")),
                -by.toMillis());
    }
}
