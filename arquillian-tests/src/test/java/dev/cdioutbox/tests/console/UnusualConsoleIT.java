package dev.cdioutbox.tests.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import jakarta.json.JsonArray;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleClient;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The console checks the role itself, masks payloads, and an operation concerns the outbox that the page showed. The application
 * has two outboxes, and its web.xml admits every user.
 */
@Tag("full")
class UnusualConsoleIT {
    private static final String SECOND = "outbox=second";

    private static LibertyServer server;

    @BeforeAll
    static void start() {
        server = LibertyServer.sample("two-outboxes")
                .set("outbox.outboxes.second.datasource", "java:comp/DefaultDataSource")
                .set("outbox.outboxes.second.table-prefix", "second_")
                .set("outbox.console.mask", "/customer, /lines/*/item")
                .withUser(SampleServer.STRANGER)
                .lettingAnyUserTo("/outbox/*")
                .start();
        new SampleClient(server::url).placeOrder();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** A web.xml can override the console's constraint, so the console checks the role itself. */
    @Test
    void whomTheContainerLetsInWithoutTheRoleTheConsoleRefuses() {
        ConsoleClient stranger = ConsoleClient.of(server, SampleServer.STRANGER, SampleServer.STRANGER);

        for (String path :
                List.of("/outbox/", "/outbox/console.js", "/outbox/api/v1/state", "/outbox/api/v1/messages")) {
            assertThat(stranger.get(path).statusCode()).as(path).isEqualTo(403);
            assertThat(stranger.get(path).body())
                    .as(path)
                    .contains("The role outbox-viewer, outbox-support or outbox-admin is needed.");
        }
        assertThat(stranger.post("/outbox/api/v1/pause", "destination=default").statusCode())
                .isEqualTo(403);
    }

    @Test
    void maskedValuesAreInNoAnswer() {
        ConsoleClient admin = ConsoleClient.admin(server);
        String message = "/outbox/api/v1/messages/"
                + admin.object("/outbox/api/v1/messages")
                        .getJsonArray("messages")
                        .getJsonObject(0)
                        .getString("id");

        for (String path : List.of(message, message + "/payload")) {
            assertThat(admin.get(path).body())
                    .as(path)
                    .contains("orderId", "•••")
                    .doesNotContain("Ada", "Tea");
        }
    }

    @Test
    @ExtendWith(Chromium.Needed.class)
    void operatorChoosesWhichOutboxToSeeAndToSteer(Chromium chromium) {
        Page page = chromium.page(server.url("/").toString());
        page.navigate("/outbox/");
        assertThat(page.locator("#rows tr")).hasCount(1);

        page.getByLabel("Outbox").selectOption("second");
        assertThat(page.locator("#found")).hasText("No message matches.");
        page.getByLabel("Pause default").click();
        assertThat(page.locator("#confirm")).containsText("Outbox second.");
        page.locator("#confirm-yes").click();
        assertThat(page.locator("#confirm")).containsText("Paused.");
        page.locator("#confirm-no").click();
        assertThat(page.locator("#verdicts")).containsText("Paused: default");
        Chromium.picture(page, "console-second-outbox", false);

        // The address contains the outbox, so that a copied link shows the same one.
        page.reload();
        assertThat(page.locator("#verdicts")).containsText("Paused: default");
        assertThat(page.getByLabel("Outbox")).hasValue("second");
        page.getByLabel("Outbox").selectOption("default");
        assertThat(page.locator("#rows tr")).hasCount(1);
        assertThat(page.locator("#verdicts")).containsText("All is well");
        page.context().close();

        ConsoleClient admin = ConsoleClient.admin(server);
        assertThat(admin.object("/outbox/api/v1/state?" + SECOND)
                        .getJsonObject("backlog")
                        .getJsonArray("paused"))
                .hasSize(1);
        assertThat(admin.object("/outbox/api/v1/state").getJsonObject("backlog").getJsonArray("paused"))
                .isEmpty();
        assertThat(audit(admin, "?" + SECOND)).hasSize(1);
        assertThat(audit(admin, "")).isEmpty();
        assertThat(admin.get("/outbox/api/v1/state?outbox=third").statusCode()).isEqualTo(404);
    }

    @Test
    @ExtendWith(Chromium.Needed.class)
    void whatIsAskedAndChangedIsOfTheOutboxThatWasShown(Chromium chromium) {
        Page page = chromium.page(server.url("/").toString());
        page.navigate("/outbox/#" + SECOND);
        assertThat(page.locator("#pending")).hasText("0");
        page.locator("#pending").click();
        assertThat(page.getByLabel("Outbox")).hasValue("second");
        assertThat(page).hasURL(Pattern.compile(SECOND));

        page.getByLabel("Outbox").selectOption("default");
        page.getByLabel("Waiting", new Page.GetByLabelOptions().setExact(true)).uncheck();
        assertThat(page.locator("#rows tr").first()).containsText("Published");
        page.locator("#rows .title").first().click();
        page.locator("#message-actions button").first().click();
        assertThat(page.locator("#confirm")).containsText("Outbox default.");
        page.evaluate("location.hash = '" + SECOND + "'");
        assertThat(page.locator("#confirm")).isHidden();
        assertThat(page.locator("#message")).isHidden();
        assertThat(page.getByLabel("Outbox")).hasValue("second");

        page.goBack();
        assertThat(page.getByLabel("Outbox")).hasValue("default");
        List<Route> asked = new ArrayList<>();
        page.route("**/api/v1/changes/replay", asked::add);
        page.locator("[data-action=replay]").click();
        assertThat(page.locator("#confirm")).containsText("Outbox default.");
        page.locator("#confirm-yes").click();
        page.waitForCondition(() -> asked.size() == 1);
        // Changes the outbox in the middle of the operation.
        page.evaluate("location.hash = '" + SECOND + "'");
        assertThat(page.getByLabel("Outbox")).hasValue("second");
        answer(asked.get(0), "{\"changed\":1,\"after\":1}");
        page.waitForCondition(() -> asked.size() == 2);
        answer(asked.get(1), "{\"changed\":1,\"after\":null}");
        assertThat(page.locator("#confirm")).containsText("2 messages changed.");
        assertThat(asked)
                .allSatisfy(route -> assertThat(route.request().postData()).contains("outbox=default"));
        page.context().close();
    }

    private static JsonArray audit(ConsoleClient admin, String query) {
        return admin.object("/outbox/api/v1/audit" + query).getJsonArray("entries");
    }

    private static void answer(Route asked, String json) {
        asked.fulfill(
                new Route.FulfillOptions().setContentType("application/json").setBody(json));
    }
}
