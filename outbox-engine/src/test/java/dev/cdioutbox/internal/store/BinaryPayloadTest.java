package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.payload;
import static dev.cdioutbox.internal.store.TestMessages.publishAll;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.claim.Claim;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.Test;

/** Guards that bytes live as a text does: stored, claimed, erased, archived and sent again as they were. */
class BinaryPayloadTest extends StoreContract {
    private static final ClaimLimits ALL = limits(1, 500, 10_000_000);
    private static final byte[] EVERY_BYTE = bytes(256);

    private final JdbcOutboxStore store = database.open(1);

    BinaryPayloadTest(Database kind) {
        super(kind);
    }

    @Test
    void bytesComeBackBesideTextsOfTheSameTransaction() {
        List<NewMessage> written = List.of(
                message("a", "a text"),
                binary(EVERY_BYTE),
                binary(new byte[0]),
                message("a", ""),
                binary(bytes(1_048_576)));
        store.capture().write(written);

        try (Claim claim = claim(store, ALL)) {
            assertThat(claim.messages())
                    .extracting(OutboxMessage::body)
                    .containsExactlyElementsOf(
                            written.stream().map(NewMessage::body).toList());
        }
    }

    /** SQL reads a text as it did, and an INSERT of texts alone does not name the other column. */
    @Test
    void eachFormHasItsColumn() {
        store.capture().write(List.of(message("a", "a text")));
        store.capture().write(List.of(binary(EVERY_BYTE)));

        for (String table : List.of("shop_message", "shop_message_view")) {
            assertThat(database.query("SELECT payload FROM " + table + " ORDER BY seq"))
                    .containsExactly("a text", null);
            assertThat(database.query(
                            "SELECT CASE WHEN payload_binary IS NULL THEN 0 ELSE LENGTH(payload_binary) END FROM "
                                    + table + " ORDER BY seq"))
                    .containsExactly("0", "256");
        }
    }

    @Test
    void changedBytesAreNotSent() {
        store.capture().write(List.of(binary(EVERY_BYTE), message("b", "b")));
        database.update("UPDATE shop_message SET payload_bytes = 255 WHERE payload IS NULL");

        try (Claim claim = claim(store, ALL)) {
            assertThat(claim.messages()).extracting(OutboxMessage::orderingKey).containsExactly("b");
            assertThat(claim.unreadable()).singleElement().satisfies(row -> assertThat(row.problem())
                    .isEqualTo("its payload has 256 bytes, and 255 were stored"));
        }
    }

    @Test
    void erasedPayloadIsNoBinaryOneAndIsNotSentAgain() {
        store.capture()
                .write(List.of(message("a", "a text"), binary(EVERY_BYTE), binary(new byte[0]), message("a", "")));
        store.settlements()
                .settleSent(sent(
                        all().stream().map(OutboxMessage::sequence).toList(),
                        new RetentionConfig(Duration.ofHours(1), Duration.ofHours(1), false, true)));

        assertThat(bodies())
                .containsExactly(
                        new Body("text/plain", OutboxPayload.erased(), 6),
                        new Body("avro/binary", OutboxPayload.erased(), 256),
                        new Body("avro/binary", OutboxPayload.binary(new byte[0])),
                        new Body("text/plain", OutboxPayload.text("")));
        assertThat(change(store, MessageOperation.REPLAY, OutboxFilter.all()))
                .as("the empty ones")
                .hasSize(2);
    }

    @Test
    void bytesAreSentAgain() {
        store.capture().write(List.of(binary(EVERY_BYTE)));
        try (Claim claim = claim(store, ALL)) {
            publishAll(store, claim);
        }

        assertThat(change(store, MessageOperation.REPLAY, OutboxFilter.all())).hasSize(1);

        try (Claim claim = claim(store, ALL)) {
            assertThat(claim.messages())
                    .extracting(claimed -> claimed.body().payload())
                    .containsExactly(OutboxPayload.binary(EVERY_BYTE));
        }
    }

    @Test
    void bytesAreArchived() {
        store.capture().write(List.of(binary(EVERY_BYTE)));
        try (Claim claim = claim(store, ALL)) {
            publishAll(store, claim);
        }
        Instant longAgo = Instant.now().minus(Duration.ofDays(9));
        database.setTime("message", "created_at", longAgo, "1 = 1");
        database.setTime("delivery", "settled_at", longAgo, "1 = 1");

        store.purge().removeNext(new RetentionConfig(Duration.ofHours(1), Duration.ofHours(1), true, false), 0);

        assertThat(database.query(
                        "SELECT COUNT(*) FROM shop_archive WHERE payload IS NULL AND LENGTH(payload_binary) = 256"))
                .containsExactly("1");
    }

    @Test
    void listHasNoBytes() {
        store.capture().write(List.of(binary(EVERY_BYTE)));

        assertThat(store.finder()
                        .list(OutboxFilter.all(), OutboxPageRequest.of(10))
                        .messages())
                .extracting(OutboxMessage::body)
                .containsExactly(new Body("avro/binary", OutboxPayload.text(""), 256));
    }

    private List<OutboxMessage> all() {
        List<Long> sequences = database.query("SELECT seq FROM shop_message ORDER BY seq").stream()
                .map(Long::valueOf)
                .toList();
        return store.finder().find(sequences);
    }

    private List<OutboxMessage.Body> bodies() {
        return all().stream().map(OutboxMessage::body).toList();
    }

    private static NewMessage binary(byte[] bytes) {
        return payload(message("a", ""), OutboxPayload.binary(bytes));
    }

    private static byte[] bytes(int number) {
        byte[] bytes = new byte[number];
        IntStream.range(0, number).forEach(i -> bytes[i] = (byte) i);
        return bytes;
    }
}
