package dev.cdioutbox.tests.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import jakarta.json.JsonObject;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Each operation is for the users whom the table names, and a viewer gets nothing of what a message contains. */
@ExtendWith(SampleServer.Shared.class)
class ConsoleRolesIT {
    private static final String API = "/outbox/api/v1/";
    private static final String SECRET = "DE89370400440532013000";
    private static final List<String> USERS = List.of(SampleServer.VIEWER, SampleServer.SUPPORT, SampleServer.ADMIN);

    /** Of openapi.yaml: a request that changes nothing, and the lowest user who may send it. */
    private static final Map<String, Call> OPERATIONS = Map.ofEntries(
            Map.entry("GET state", new Call("state", SampleServer.VIEWER)),
            Map.entry("GET diagnosis", new Call("diagnosis", SampleServer.VIEWER)),
            Map.entry("GET messages", new Call("messages?type=Made", SampleServer.VIEWER)),
            Map.entry("GET messages/{id}", new Call("messages/%s", SampleServer.VIEWER)),
            Map.entry("GET messages/{id}/payload", new Call("messages/%s/payload", SampleServer.SUPPORT)),
            Map.entry(
                    "POST messages/{id}/{action}", new Call("messages/none/retry?outbox=default", SampleServer.ADMIN)),
            Map.entry("GET changes/{action}", new Call("changes/retry?type=Made", SampleServer.VIEWER)),
            Map.entry("POST changes/{action}", new Call("changes/retry?below=0", SampleServer.ADMIN)),
            Map.entry("GET blocked-keys", new Call("blocked-keys", SampleServer.VIEWER)),
            Map.entry("POST pause", new Call("pause?destination=nowhere", SampleServer.ADMIN)),
            Map.entry("POST resume", new Call("resume?destination=nowhere", SampleServer.ADMIN)),
            Map.entry(
                    "POST backfill",
                    new Call(
                            "backfill?destination=nowhere&source=default&type=Made&from=2026-01-31T00:00:00Z",
                            SampleServer.ADMIN)),
            Map.entry("POST cancel-backfill", new Call("cancel-backfill?destination=nowhere", SampleServer.ADMIN)),
            Map.entry("GET dead-letters", new Call("dead-letters", SampleServer.VIEWER)),
            Map.entry("GET dead-letters/count", new Call("dead-letters/count?queue=exceptions", SampleServer.VIEWER)),
            Map.entry(
                    "POST dead-letters/send-back",
                    new Call("dead-letters/send-back?queue=exceptions&below=0", SampleServer.ADMIN)),
            Map.entry(
                    "POST dead-letters/discard",
                    new Call("dead-letters/discard?queue=exceptions&below=0", SampleServer.ADMIN)),
            Map.entry("GET audit", new Call("audit", SampleServer.VIEWER)));

    private final SampleServer shared;
    private final ConsoleClient admin;
    private String id;

    private record Call(String path, String lowest) {
        boolean isFor(String user) {
            return USERS.indexOf(user) >= USERS.indexOf(lowest);
        }
    }

    ConsoleRolesIT(SampleServer shared) {
        this.shared = shared;
        this.admin = ConsoleClient.admin(shared.server());
    }

    @BeforeEach
    void makeAMessageWithASecret() {
        MadeMessages.make(shared, 1, OutboxStatus.ABANDONED, SECRET, SECRET, "the receiver refused " + SECRET);
        id = admin.object(API + "messages?type=Made")
                .getJsonArray("messages")
                .getJsonObject(0)
                .getString("id");
    }

    @AfterEach
    void leaveNothing() {
        MadeMessages.delete(shared);
    }

    @Test
    void eachOperationIsForTheUsersWhomTheTableNames() {
        assertThat(OPERATIONS.keySet()).as("the operations of openapi.yaml").isEqualTo(documented());

        OPERATIONS.forEach((operation, call) -> {
            for (String user : USERS) {
                HttpResponse<String> answer = send(operation, ConsoleClient.of(shared.server(), user), call);
                if (call.isFor(user)) {
                    assertThat(answer.statusCode())
                            .as("%s by %s", operation, user)
                            .isIn(200, 404);
                } else {
                    assertThat(answer.statusCode())
                            .as("%s by %s", operation, user)
                            .isEqualTo(403);
                    assertThat(answer.body()).contains("\"OBX-0615\"", "The role outbox-");
                }
            }
            ConsoleClient stranger = ConsoleClient.of(shared.server(), SampleServer.STRANGER, SampleServer.STRANGER);
            assertThat(send(operation, stranger, call).statusCode())
                    .as(operation)
                    .isEqualTo(403);
            assertThat(send(operation, ConsoleClient.anonymous(shared.server()), call)
                            .statusCode())
                    .as(operation)
                    .isEqualTo(401);
        });
    }

    /** By method and path. */
    private Set<String> documented() {
        Set<String> found = new TreeSet<>();
        String path = null;
        for (String line : admin.get(API + "openapi.yaml").body().lines().toList()) {
            if (line.matches("  /\\S+:")) {
                path = line.strip().replaceAll("^/|:$", "");
            } else if (line.matches("    (get|post|put|delete|patch):")) {
                found.add(line.strip().replace(":", "").toUpperCase(Locale.ROOT) + " " + path);
            }
        }
        return found;
    }

    private HttpResponse<String> send(String operation, ConsoleClient user, Call call) {
        String path = API + call.path().formatted(id);
        return operation.startsWith("GET ")
                ? user.get(path)
                : user.post(path.replaceFirst("\\?.*", ""), path.replaceFirst("[^?]*\\??", ""));
    }

    @Test
    void viewerFindsNothingOfWhatAMessageContains() {
        ConsoleClient viewer = ConsoleClient.of(shared.server(), SampleServer.VIEWER);
        ConsoleClient support = ConsoleClient.of(shared.server(), SampleServer.SUPPORT);
        admin.post(API + "changes/retry", "below=0&type=Made&key=" + SECRET + "&error=" + SECRET);

        Set<String> told = OPERATIONS.entrySet().stream()
                .filter(each -> each.getKey().startsWith("GET "))
                .peek(each -> assertThat(
                                send(each.getKey(), viewer, each.getValue()).body())
                        .as(each.getKey())
                        .doesNotContain(SECRET))
                .filter(each ->
                        send(each.getKey(), support, each.getValue()).body().contains(SECRET))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());

        assertThat(told).contains("GET messages", "GET messages/{id}", "GET messages/{id}/payload", "GET audit");
        for (String search : List.of("messages?key=", "messages?error=", "changes/retry?key=", "dead-letters?key=")) {
            assertThat(viewer.get(API + search + SECRET).statusCode())
                    .as(search)
                    .isEqualTo(403);
            assertThat(support.get(API + search + SECRET).statusCode())
                    .as(search)
                    .isEqualTo(200);
        }
    }

    @Test
    void auditNamesTheRole() {
        admin.post(API + "resume", "destination=default");

        JsonObject last = admin.object(API + "audit").getJsonArray("entries").getJsonObject(0);
        assertThat(last.getString("who")).isEqualTo(SampleServer.ADMIN);
        assertThat(last.getString("role")).isEqualTo("outbox-admin");
    }
}
