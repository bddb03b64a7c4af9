package dev.cdioutbox.tests.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The console shows why a message waits, and which changes reached it. */
@ExtendWith(SampleServer.Shared.class)
class ConsoleDataIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    /** A queue id that no claim reads. */
    private static final long NOBODYS = 9_000_000_000_000_000L;

    private final SampleServer shared;
    private final String key = UUID.randomUUID().toString();
    private ConsoleClient admin;

    ConsoleDataIT(SampleServer shared) {
        this.shared = shared;
    }

    @BeforeEach
    void signIn() {
        admin = ConsoleClient.admin(shared.server());
    }

    @AfterEach
    void leaveNothing() {
        shared.update("DELETE FROM outbox_message WHERE event_type = 'Made'");
        shared.update("UPDATE outbox_control SET paused = 0");
    }

    @Test
    void messageOfAPausedDestinationSaysSoAndOneThatADeliveryHoldsDoesToo() throws SQLException {
        pause("pause");
        String order = shared.sample().placeOrder();
        String id = newest(order);
        assertThat(why(id)).isEqualTo("Its destination is paused.");

        try (Connection delivery = shared.connection();
                PreparedStatement lock =
                        delivery.prepareStatement("SELECT seq FROM outbox_message WHERE message_id = ? FOR UPDATE")) {
            delivery.setAutoCommit(false);
            lock.setString(1, id);
            lock.executeQuery();
            assertThat(why(id)).startsWith("A delivery holds it");
            delivery.rollback();
        }

        pause("resume");
        await().atMost(SOON)
                .until(() -> admin.object("/outbox/api/messages/" + id).isNull("why"));
    }

    @Test
    void messageThatWaitsSaysForWhat() {
        make("PENDING", null, "NULL");
        assertThat(why(newest(null))).isEqualTo("It is due, and waits for its turn.");

        make("PENDING", null, "DATEADD(HOUR, 1, CURRENT_TIMESTAMP)");
        assertThat(why(newest(null))).startsWith("It waits for its time");

        make("FAILED", key, "NULL");
        String failed = newest(key);
        assertThat(why(failed)).isEqualTo("It failed. It is tried again after its delay.");

        make("PENDING", key, "NULL");
        assertThat(why(newest(key)))
                .isEqualTo("It waits behind sequence %d of the same key, which failed and will be tried again."
                        .formatted(admin.object("/outbox/api/messages/" + failed)
                                .getJsonObject("message")
                                .getInt("sequence")));

        make("DISCARDED", key, "NULL");
        assertThat(admin.object("/outbox/api/messages/" + newest(key)).isNull("why"))
                .isTrue();
    }

    @Test
    void historyOfAMessageIsWhatReachedItWhateverTheFilterWas() {
        make("PUBLISHED", key, "NULL");
        String replayed = newest(key);
        make("DISCARDED", key, "NULL");
        String both = newest(key);
        make("PUBLISHED", UUID.randomUUID().toString(), "NULL");
        String other = newest(null);
        pause("pause");

        assertChanged("replay", "status=DISCARDED", 1);
        assertChanged("discard", "type=Made", 1);
        assertChanged("replay", "type=Made", 2);

        assertThat(history(replayed)).isEqualTo("replay 2");
        assertThat(history(both)).isEqualTo("replay 2, discard 1, replay 1");
        assertThat(history(other)).isEmpty();
    }

    /** A client that lost the answer may repeat a request under the same name, and the console must copy once. */
    @Test
    void batchThatIsAskedForAgainByItsNameIsDoneOnce() {
        make("PUBLISHED", key, "NULL");
        make("PUBLISHED", key, "NULL");
        pause("pause");
        String name = UUID.randomUUID().toString().replace("-", "");
        String asked = "key=%s&below=%d&operation=%s".formatted(key, Long.MAX_VALUE, name);

        HttpResponse<String> first = admin.post("/outbox/api/replay-as-new", asked);
        assertThat(Http.json(first).asJsonObject().getInt("changed")).isEqualTo(2);
        assertThat(Http.json(first).asJsonObject().isNull("after")).isTrue();
        assertThat(Http.json(admin.post("/outbox/api/replay-as-new", asked))
                        .asJsonObject()
                        .getInt("changed"))
                .isZero();
        assertThat(ofKey()).hasSize(4);

        String another = asked.replace(name, UUID.randomUUID().toString().replace("-", ""));
        assertThat(admin.post("/outbox/api/replay-as-new", another).body()).isEqualTo(first.body());
        assertThat(ofKey()).hasSize(6);
        assertThat(admin.post("/outbox/api/retry", asked.replace(name, "../x")).statusCode())
                .isEqualTo(400);
    }

    private JsonArray ofKey() {
        return admin.object("/outbox/api/messages?key=" + key).getJsonArray("messages");
    }

    private void assertChanged(String action, String filter, int messages) {
        String asked = "key=%s&below=%d&%s".formatted(key, Long.MAX_VALUE, filter);
        assertThat(Http.json(admin.post("/outbox/api/" + action, asked))
                        .asJsonObject()
                        .getInt("changed"))
                .isEqualTo(messages);
    }

    private String history(String id) {
        return String.join(
                ", ",
                admin.object("/outbox/api/messages/" + id).getJsonArray("audit").getValuesAs(act -> {
                    JsonObject one = act.asJsonObject();
                    assertThat(one.getString("who")).isEqualTo(SampleServer.ADMIN);
                    return one.getString("action") + " " + one.getInt("changed");
                }));
    }

    private void pause(String action) {
        assertThat(admin.post("/outbox/api/" + action, "destination=default").statusCode())
                .isEqualTo(200);
    }

    private String why(String id) {
        return admin.object("/outbox/api/messages/" + id).getString("why");
    }

    /** @param of the key of the message; null for the newest of all inserted ones */
    private String newest(String of) {
        return admin.object("/outbox/api/messages?" + (of == null ? "type=Made" : "key=" + of))
                .getJsonArray("messages")
                .getJsonObject(0)
                .getString("id");
    }

    /** Inserts a message that no application fired; a pending one gets a queue id that no claim reads. */
    private void make(String status, String ofKey, String notBefore) {
        shared.update("""
                INSERT INTO outbox_message (message_id, application, event_type, schema_version, message_key,
                  partition_no, destination, queue_id, content_type, payload, payload_bytes, occurred_at, status, attempts,
                  not_before)
                VALUES (CAST(RANDOM_UUID() AS VARCHAR), 'sample', 'Made', 1, CAST(? AS VARCHAR), 0, 'default',
                  CASE WHEN ? IN ('PENDING', 'FAILED') THEN %d END, 'application/json', '{}', 2, CURRENT_TIMESTAMP, ?, 1,
                  %s)""".formatted(NOBODYS, notBefore), ofKey, status, status);
    }
}
