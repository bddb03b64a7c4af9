package dev.cdioutbox.tests.console;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The console shows why a message waits, and which changes reached it. */
@ExtendWith(SampleServer.Shared.class)
class ConsoleDataIT {

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
        MadeMessages.delete(shared);
        shared.update("UPDATE outbox_control SET paused = 0");
    }

    @Test
    void messageOfAPausedDestinationSaysSoAndOneThatADeliveryHoldsDoesToo() throws SQLException {
        pause("pause");
        String order = shared.sample().placeOrder();
        String id = newest(order);
        assertThat(why(id)).isEqualTo("Its destination is paused.");

        try (Connection delivery = shared.connection();
                PreparedStatement lock = delivery.prepareStatement("SELECT seq FROM outbox_queue WHERE seq ="
                        + " (SELECT seq FROM outbox_message WHERE message_id = ?) FOR UPDATE")) {
            delivery.setAutoCommit(false);
            lock.setString(1, id);
            lock.executeQuery();
            assertThat(why(id)).startsWith("A delivery holds it");
            delivery.rollback();
        }

        pause("resume");
        await().atMost(LONG)
                .until(() -> admin.object("/outbox/api/v1/messages/" + id).isNull("why"));
    }

    @Test
    void messageThatWaitsSaysForWhat() {
        make(OutboxStatus.PENDING, null);
        assertThat(why(newest(null))).isEqualTo("It is due, and waits for its turn.");

        make(OutboxStatus.PENDING, null);
        shared.update("UPDATE outbox_message SET not_before = DATEADD(HOUR, 1, CURRENT_TIMESTAMP)"
                + " WHERE event_type = 'Made'");
        assertThat(why(newest(null))).startsWith("It waits for its time");

        make(OutboxStatus.FAILED, key);
        String failed = newest(key);
        assertThat(why(failed)).startsWith("It has failed ").contains(" of at most 10 times. ");

        make(OutboxStatus.PENDING, key);
        assertThat(why(newest(key)))
                .isEqualTo("It waits behind sequence %d of the same key, which failed and will be tried again."
                        .formatted(admin.object("/outbox/api/v1/messages/" + failed)
                                .getJsonObject("message")
                                .getInt("sequence")));

        make(OutboxStatus.DISCARDED, key);
        assertThat(admin.object("/outbox/api/v1/messages/" + newest(key)).isNull("why"))
                .isTrue();
    }

    /** Both are mended while the server runs, too. */
    @Tag("full")
    @Test
    void doctorFindsAPoolThatIsTooSmallAndADestinationThatIsGone() {
        assertThat(findings()).isEmpty();

        shared.server().set("outbox.dispatcher.concurrency", "20").set("outbox.destinations.default.jndi", "jms/gone");
        try {
            await().atMost(LONG).untilAsserted(() -> assertThat(findings())
                    .hasSize(2)
                    .anyMatch(finding -> finding.startsWith(
                                    "OBX-0227: the pool of the DataSource java:comp/DefaultDataSource has 50")
                            && finding.contains("may hold 60"))
                    .anyMatch(finding -> finding.startsWith("OBX-0401: destination 'default'")
                            && finding.contains("OBX-0501")
                            && finding.contains("jms/gone")));
        } finally {
            shared.server().unset("outbox.dispatcher.concurrency").unset("outbox.destinations.default.jndi");
        }
        await().atMost(LONG).until(() -> findings().isEmpty());
    }

    private List<String> findings() {
        return admin.object("/outbox/api/v1/diagnosis").getJsonArray("findings").getValuesAs(JsonObject.class).stream()
                .map(finding -> finding.getString("code") + ": " + finding.getString("text"))
                .toList();
    }

    @Test
    void historyOfAMessageIsWhatReachedItWhateverTheFilterWas() {
        make(OutboxStatus.PUBLISHED, key);
        String replayed = newest(key);
        make(OutboxStatus.DISCARDED, key);
        String both = newest(key);
        make(OutboxStatus.PUBLISHED, UUID.randomUUID().toString());
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
        make(OutboxStatus.PUBLISHED, key);
        make(OutboxStatus.PUBLISHED, key);
        pause("pause");
        String name = UUID.randomUUID().toString().replace("-", "");
        String asked = "key=%s&below=%d&operation=%s".formatted(key, Long.MAX_VALUE, name);

        HttpResponse<String> first = admin.post("/outbox/api/v1/changes/replay-as-new", asked);
        assertThat(Http.json(first).asJsonObject().getInt("changed")).isEqualTo(2);
        assertThat(Http.json(first).asJsonObject().isNull("after")).isTrue();
        assertThat(Http.json(admin.post("/outbox/api/v1/changes/replay-as-new", asked))
                        .asJsonObject()
                        .getInt("changed"))
                .isZero();
        assertThat(ofKey()).hasSize(4);

        String another = asked.replace(name, UUID.randomUUID().toString().replace("-", ""));
        assertThat(admin.post("/outbox/api/v1/changes/replay-as-new", another).body())
                .isEqualTo(first.body());
        assertThat(ofKey()).hasSize(6);
        assertThat(admin.post("/outbox/api/v1/changes/retry", asked.replace(name, "../x"))
                        .statusCode())
                .isEqualTo(400);
    }

    private JsonArray ofKey() {
        return admin.object("/outbox/api/v1/messages?key=" + key).getJsonArray("messages");
    }

    private void assertChanged(String action, String filter, int messages) {
        String asked = "key=%s&below=%d&%s".formatted(key, Long.MAX_VALUE, filter);
        assertThat(Http.json(admin.post("/outbox/api/v1/changes/" + action, asked))
                        .asJsonObject()
                        .getInt("changed"))
                .isEqualTo(messages);
    }

    private String history(String id) {
        return String.join(
                ", ",
                admin.object("/outbox/api/v1/messages/" + id)
                        .getJsonArray("audit")
                        .getValuesAs(act -> {
                            JsonObject one = act.asJsonObject();
                            assertThat(one.getString("who")).isEqualTo(SampleServer.ADMIN);
                            return one.getString("action") + " " + one.getInt("changed");
                        }));
    }

    private void pause(String action) {
        assertThat(admin.post("/outbox/api/v1/" + action, "destination=default").statusCode())
                .isEqualTo(200);
    }

    private String why(String id) {
        return admin.object("/outbox/api/v1/messages/" + id).getString("why");
    }

    /** @param of the key of the message; null for the newest of all inserted ones */
    private String newest(String of) {
        return admin.object("/outbox/api/v1/messages?" + (of == null ? "type=Made" : "key=" + of))
                .getJsonArray("messages")
                .getJsonObject(0)
                .getString("id");
    }

    private void make(OutboxStatus status, String ofKey) {
        MadeMessages.make(shared, 1, status, ofKey, "{}", null);
    }
}
