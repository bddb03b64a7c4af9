package dev.cdioutbox.tests.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions.ContainsTextOptions;
import com.microsoft.playwright.options.ColorScheme;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The sample's page places an order, shows its delivery, and leads to the console. */
@ExtendWith({Chromium.Needed.class, SampleServer.Shared.class})
class SamplePageIT {
    private final Chromium chromium;
    private final String url;

    SamplePageIT(Chromium chromium, SampleServer console) {
        this.chromium = chromium;
        url = console.server().url("/").toString();
    }

    @Test
    void orderIsPlacedAndSeenToArrive() {
        Page page = chromium.page(url);
        page.navigate("/");
        page.getByLabel("Customer").fill("Grace <b>Hopper</b>");
        page.getByText("Place order").click();

        Locator journey = page.locator(".journey").first();
        assertThat(journey).containsText("Grace <b>Hopper</b>");
        assertThat(journey.locator(".message")).containsText("Published", arrives());
        assertThat(journey.locator(".delivery")).containsText("Received", arrives());
        Chromium.picture(page, "docs/sample", false);
        assertThat(Chromium.complaints(page)).isEmpty();
    }

    @Tag("full")
    @Test
    void orderThatIsRolledBackLeavesNothing() {
        Page page = chromium.page(url, 1360, 900, ColorScheme.DARK);
        page.navigate("/");
        page.getByText("Fail the business transaction after").click();
        page.getByText("Place order").click();

        assertThat(page.locator(".rollback .proof")).isVisible();
        assertThat(page.locator(".rollback.broken")).hasCount(0);
        Chromium.picture(page, "sample-dark", false);
        assertThat(Chromium.complaints(page)).isEmpty();
    }

    @Tag("full")
    @Test
    void messagesThatWerePutAsideAreShownOnThePage() {
        Page page = chromium.page(url);
        page.route(
                "**/api/put-aside*",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("""
                        [{"messageId":"id-1","orderId":"<b>order</b>","eventType":"OrderPlaced","schemaVersion":"99",
                          "payload":"{\\"customer\\":\\"Ada\\"}"},
                         {"messageId":"id-2","payload":"no JSON"}]""")));
        page.navigate("/");
        page.getByText("put aside", new Page.GetByTextOptions().setExact(true)).click();

        Locator aside = page.locator("#put-aside");
        assertThat(page).hasURL(Pattern.compile("#put-aside$"));
        assertThat(aside).containsText("OrderPlaced, version 99");
        assertThat(aside).containsText("<b>order</b>");
        assertThat(aside).containsText("\"customer\": \"Ada\"");
        assertThat(aside).containsText("no JSON");
        Chromium.picture(page, "sample-put-aside", true);
        assertThat(Chromium.complaints(page)).isEmpty();

        page.unroute("**/api/put-aside*");
        page.reload();
        assertThat(aside).containsText("Nothing is put aside.");
    }

    @Tag("full")
    @Test
    void pageLeadsToTheConsole() {
        Page page = chromium.page(url, 390, 844, ColorScheme.LIGHT);
        page.navigate("/");
        assertThat(page.locator("#link")).containsText("Live", arrives());
        Chromium.picture(page, "sample-phone", false);
        page.getByText("Console").click();

        assertThat(page.locator("h1")).containsText("Outbox");
        assertThat(page.locator("#link")).containsText("Live", arrives());
    }

    private static ContainsTextOptions arrives() {
        return new ContainsTextOptions().setTimeout(60_000);
    }
}
