package dev.cdioutbox.tests.console;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;

import jakarta.json.JsonObject;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Only a user with the role sees the console and changes messages, and only from the console's own page. */
@ExtendWith(SampleServer.Shared.class)
class ConsoleSecurityIT {
    private static final List<String> LOOKS = List.of(
            "/outbox",
            "/outbox/",
            "/outbox/console.js",
            "/outbox/nothing",
            "/outbox/api/v1/state",
            "/outbox/api/v1/messages",
            "/outbox/api/v1/audit",
            "/outbox/api/v1/changes/retry",
            "/outbox/api/v1/dead-letters",
            "/outbox/api/v1/dead-letters/count?queue=exceptions",
            "/outbox/api/v1/openapi.yaml");
    private static final List<String> CHANGES = List.of(
            "changes/retry", "messages/1/discard", "pause", "resume", "dead-letters/send-back", "dead-letters/discard");
    private static final String EVERYTHING = "destination=default";

    private final SampleServer console;
    private ConsoleClient admin;

    ConsoleSecurityIT(SampleServer console) {
        this.console = console;
    }

    @BeforeEach
    void signIn() {
        admin = ConsoleClient.admin(console.server());
    }

    @Test
    void whoDoesNotSignInSeesNothing() {
        assertRefused(ConsoleClient.anonymous(console.server()), 401);
    }

    @Test
    void whoSignsInWithTheWrongPasswordSeesNothing() {
        assertRefused(ConsoleClient.of(console.server(), SampleServer.ADMIN, "guessed"), 401);
    }

    @Test
    void whoSignsInWithoutTheRoleSeesNothing() {
        assertRefused(ConsoleClient.of(console.server(), SampleServer.STRANGER, SampleServer.STRANGER), 403);
    }

    private void assertRefused(ConsoleClient somebody, int status) {
        for (String path : LOOKS) {
            HttpResponse<String> answer = somebody.get(path);
            assertThat(answer.statusCode()).as(path).isEqualTo(status);
            assertThat(answer.body()).as(path).doesNotContain("pending", "<main", "import ");
        }
        for (String change : CHANGES) {
            assertThat(somebody.post("/outbox/api/v1/" + change, EVERYTHING).statusCode())
                    .as(change)
                    .isEqualTo(status);
        }
        assertThat(admin.object("/outbox/api/v1/state").getJsonObject("backlog").getJsonArray("paused"))
                .isEmpty();
    }

    @Test
    void administratorSeesThePageAndItsData() {
        assertThat(admin.get("/outbox/").body()).contains("<main");
        assertThat(admin.get("/outbox/console.js").headers().firstValue("Content-Type"))
                .contains("text/javascript;charset=UTF-8");
        JsonObject state = admin.object("/outbox/api/v1/state");
        assertThat(state.getString("user")).isEqualTo(SampleServer.ADMIN);
        assertThat(state.getJsonObject("destinations")).containsOnlyKeys("default");
    }

    /** A proxy may serve the application under a longer path, which the server does not know. */
    @Test
    void addressWithoutItsSlashLeadsToThePageRelatively() {
        HttpResponse<String> answer = admin.get("/outbox");

        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(answer.headers().firstValue("Location")).contains("outbox/");
    }

    @Test
    void everyAnswerForbidsWhatThePageDoesNotNeed() {
        for (String path : List.of("/outbox/", "/outbox/console.css", "/outbox/api/v1/state", "/outbox/nothing")) {
            assertThat(admin.get(path).headers().map())
                    .as(path)
                    .containsEntry("X-Content-Type-Options", List.of("nosniff"))
                    // With a cookie, Open Liberty adds a directive of its own to this header.
                    .hasEntrySatisfying(
                            "Cache-Control",
                            cache ->
                                    assertThat(cache).singleElement().asString().startsWith("no-store"))
                    .containsEntry("X-Frame-Options", List.of("DENY"))
                    .containsEntry("Referrer-Policy", List.of("no-referrer"))
                    .hasEntrySatisfying("Content-Security-Policy", policy -> assertThat(policy)
                            .singleElement()
                            .asString()
                            .startsWith("default-src 'none'; script-src 'self'; style-src 'self';")
                            .contains("frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'")
                            .doesNotContain("unsafe"));
        }
    }

    @Test
    void onlyPostChanges() {
        for (String change : List.of("messages/1/discard", "pause", "resume")) {
            assertThat(admin.get("/outbox/api/v1/" + change + "?" + EVERYTHING).statusCode())
                    .as(change)
                    .isEqualTo(405);
        }
        for (String method : List.of("PUT", "DELETE", "PATCH", "OPTIONS")) {
            assertThat(Http.send(admin.request("/outbox/api/v1/pause").method(method, BodyPublishers.noBody()))
                            .statusCode())
                    .as(method)
                    .isEqualTo(405);
        }
    }

    /** A form of another site carries the user's credentials. The header would need an allowed preflight request. */
    @Test
    void changeThatAnotherSiteMakesTheBrowserSendIsRefused() {
        for (String change : CHANGES) {
            String path = "/outbox/api/v1/" + change;
            assertThat(admin.postFromElsewhere(path, EVERYTHING).statusCode())
                    .as(change)
                    .isEqualTo(403);
            HttpResponse<String> preflight = Http.send(admin.request(path)
                    .method("OPTIONS", BodyPublishers.noBody())
                    .header("Access-Control-Request-Method", "POST")
                    .header("Access-Control-Request-Headers", "x-outbox-console"));
            assertThat(preflight.statusCode()).as(change).isEqualTo(405);
            assertThat(preflight.headers().map().keySet()).as(change).noneMatch(name -> name.toLowerCase(Locale.ROOT)
                    .startsWith("access-control"));
        }
        assertThat(admin.object("/outbox/api/v1/state").getJsonObject("backlog").getJsonArray("paused"))
                .isEmpty();
    }

    @Test
    void changeOfThePageIsAccepted() {
        JsonObject answer =
                Http.json(admin.post("/outbox/api/v1/resume", EVERYTHING)).asJsonObject();

        assertThat(answer.getInt("changed")).isZero();
        assertThat(answer.isNull("after")).isTrue();
    }

    /** The cookie alone signs the user in, so the browser must delete it. */
    @Test
    void signOutDeletesTheCookieAndAsksForNoUser() {
        String path = "/outbox/sign-out";
        assertThat(admin.postFromElsewhere(path, "").statusCode()).isEqualTo(403);
        String cookie = cookie(admin.get("/outbox/")).split(";")[0];

        HttpResponse<String> answer = Http.send(ConsoleClient.anonymous(console.server())
                .request(path)
                .header("Cookie", cookie)
                .header("X-Outbox-Console", "page")
                .POST(BodyPublishers.noBody()));

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.body()).contains("You are signed out.");
        assertThat(answer.headers().firstValue("WWW-Authenticate")).isEmpty();
        assertThat(cookie(answer)).matches("LtpaToken2=(\"\")?;.*");
    }

    private static String cookie(HttpResponse<String> answer) {
        return answer.headers().allValues("Set-Cookie").stream()
                .filter(cookie -> cookie.startsWith("LtpaToken2="))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatCannotBeReadIsRefusedAndNotExplained() {
        assertThat(admin.get("/outbox/api/v1/messages?status=NONSENSE").statusCode())
                .isEqualTo(400);
        assertThat(admin.get("/outbox/api/v1/messages?from=yesterday").statusCode())
                .isEqualTo(400);
        assertThat(admin.get("/outbox/api/v1/messages?below=many").statusCode()).isEqualTo(400);
        assertThat(admin.get("/outbox/api/v1/messages?error=" + "x".repeat(501)).statusCode())
                .isEqualTo(400);
        assertThat(admin.get("/outbox/api/v1/changes/drop").statusCode()).isEqualTo(400);
        assertThat(admin.get("/outbox/api/v1/messages/no-id").statusCode()).isEqualTo(404);
        assertThat(admin.get("/outbox/..%2Findex.html").statusCode()).isIn(400, 404);
        assertThat(admin.get("/outbox/ConsoleServlet.class").statusCode()).isEqualTo(404);
        assertThat(admin.post("/outbox/api/v1/changes/retry", "").statusCode()).isEqualTo(400);
        assertThat(admin.post("/outbox/api/v1/pause", "").statusCode()).isEqualTo(400);
        assertThat(admin.post("/outbox/api/v1/changes/retry", "below=1&error=" + "x".repeat(501))
                        .statusCode())
                .isEqualTo(400);
    }

    /** Wrong input is the client's fault. As a failure of the server or the database, it would alarm an operator. */
    @Test
    void wrongInputIsNoFailureOfTheServer() {
        int before = console.server().log().length();

        assertRefused(400, admin.get("/outbox/api/v1/messages?key=a%00b"));
        assertRefused(400, admin.get("/outbox/api/v1/messages?from=%2B1000000000-12-31T23:59:59Z"));
        assertRefused(400, admin.get("/outbox/api/v1/changes/retry?before=-1000000000-01-01T00:00:00Z"));
        assertRefused(400, admin.get("/outbox/api/v1/state?outbox=%00"));
        assertRefused(400, admin.post("/outbox/api/v1/changes/discard", "below=1&destination=%00"));
        assertRefused(400, admin.post("/outbox/api/v1/changes/discard", "below=1&key=%zz"));
        assertRefused(400, admin.post("/outbox/api/v1/pause", "destination=%zz"));
        assertRefused(400, admin.post("/outbox/api/v1/pause", "destination=default%00"));
        assertRefused(404, admin.post("/outbox/api/v1/pause", "destination=nowhere"));
        assertRefused(404, admin.post("/outbox/api/v1/resume", "destination=nowhere"));

        assertThat(console.server().log().substring(before)).doesNotContain("OBX-0613");
    }

    private static void assertRefused(int status, HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        JsonObject refusal = Http.json(answer).asJsonObject();
        assertThat(refusal.getString("error")).isNotEmpty();
        assertThat(refusal.getString("code")).isEqualTo(status == 404 ? "OBX-0601" : "OBX-0615");
    }

    @Test
    void failureShowsTheCallerOnlyACodeAndTheLogNoSecret() {
        int before = console.server().log().length();
        String order = console.sample().placeOrder();
        await().atMost(LONG).until(() -> !console.sample().deliveries(order).isEmpty());
        console.update("ALTER TABLE outbox_audit RENAME TO hidden_audit");
        try {
            HttpResponse<String> answer = admin.get("/outbox/api/v1/audit");
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(Http.json(answer).asJsonObject().getString("error"))
                    .isEqualTo("The database refused, or did not answer.");
            assertThat(Http.json(answer).asJsonObject().getString("code")).isEqualTo("OBX-0302");
        } finally {
            console.update("ALTER TABLE hidden_audit RENAME TO outbox_audit");
        }
        assertThat(admin.get("/outbox/api/v1/audit").statusCode()).isEqualTo(200);

        assertThat(console.server().log().substring(before))
                .contains("OBX-0613: the console could not answer GET /api/v1/audit")
                .doesNotContain("try-it", "customer");
    }

    @Test
    void auditNamesWhoDidIt() {
        admin.post("/outbox/api/v1/pause", EVERYTHING);
        admin.post("/outbox/api/v1/resume", EVERYTHING);

        JsonObject last =
                admin.object("/outbox/api/v1/audit").getJsonArray("entries").getJsonObject(0);
        assertThat(last.getString("who")).isEqualTo(SampleServer.ADMIN);
        assertThat(last.getString("action")).isEqualTo("resume");
        assertThat(console.server().log()).contains("OBX-0602: pause by operator changed 1");
    }
}
