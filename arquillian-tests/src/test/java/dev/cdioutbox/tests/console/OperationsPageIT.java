package dev.cdioutbox.tests.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * After a failure or a stop, an operation on many messages continues behind the finished batches. The test answers the
 * page's requests instead of the server.
 */
@ExtendWith({Chromium.Needed.class, SampleServer.Shared.class})
@Tag("full")
class OperationsPageIT {
    private static final String FOUND = "{\"outbox\":\"default\",\"count\":1200,\"capped\":false,\"below\":5000}";
    private static final String LOST = "{\"error\":\"This failed.\",\"code\":\"OBX-0301\"}";

    private final Page page;
    private final List<Route> asked = new ArrayList<>();

    OperationsPageIT(Chromium chromium, SampleServer console) {
        page = chromium.page(console.server().url("/").toString());
    }

    @BeforeEach
    void openConsole() {
        page.route("**/api/v1/changes/replay-as-new?*", preview -> answer(preview, 200, FOUND));
        page.route("**/api/v1/changes/replay-as-new", asked::add);
        page.navigate("/outbox/");
        page.locator("[data-action=replay-as-new]").click();
        page.locator("#confirm-yes").click();
    }

    @AfterEach
    void close() {
        page.context().close();
    }

    @Test
    void whatFailedIsGoneOnWithAndWhatWasDoneIsNotDoneAgain() {
        answer(next(1), 200, "{\"changed\":500,\"after\":600}");
        answer(next(2), 503, LOST);
        assertThat(confirm()).containsText("500 messages changed, then: This failed. OBX-0301");
        assertThat(confirm()).containsText("begins with the first again");

        assertThat(page.locator("#confirm-yes")).hasText("Go on");
        page.locator("#confirm-yes").click();
        answer(next(3), 200, "{\"changed\":500,\"after\":1100}");
        answer(next(4), 200, "{\"changed\":200,\"after\":null}");
        assertThat(confirm()).containsText("1,200 messages changed. A batch without an answer may have changed more");
        assertThat(page.locator("#confirm-yes")).isHidden();

        assertThat(asked.stream().map(OperationsPageIT::after)).containsExactly("", "600", "600", "1100");
        assertThat(asked.stream().map(OperationsPageIT::operation).distinct())
                .as("names: all batches have that of their operation")
                .singleElement()
                .asString()
                .matches("[0-9a-f]{32}");
    }

    @Test
    void whatWasStoppedIsGoneOnWithAndNoKeyEndsTheQuestionMeanwhile() {
        next(1);
        page.keyboard().press("Escape");
        page.keyboard().press("Escape");
        assertThat(confirm()).isVisible();
        answer(asked.get(0), 200, "{\"changed\":500,\"after\":600}");
        assertThat(confirm()).containsText("500 messages changed. Stopped; the rest is as it was.");

        page.locator("#confirm-yes").click();
        answer(next(2), 200, "{\"changed\":700,\"after\":null}");
        assertThat(confirm()).containsText("1,200 messages changed.");
        assertThat(after(asked.get(1))).isEqualTo("600");
        page.locator("#confirm-no").click();
        assertThat(confirm()).isHidden();
    }

    private Locator confirm() {
        return page.locator("#confirm");
    }

    /** Waits for the request with this number. */
    private Route next(int number) {
        page.waitForCondition(() -> asked.size() == number);
        return asked.get(number - 1);
    }

    private static void answer(Route asked, int status, String json) {
        asked.fulfill(new Route.FulfillOptions()
                .setStatus(status)
                .setContentType("application/json")
                .setBody(json));
    }

    private static String after(Route asked) {
        return parameter(asked, "after");
    }

    private static String operation(Route asked) {
        return parameter(asked, "operation");
    }

    /** A parameter of the request's form; empty if it is absent. */
    private static String parameter(Route asked, String name) {
        return Arrays.stream(asked.request().postData().split("&"))
                .filter(each -> each.startsWith(name + "="))
                .map(each -> each.substring(name.length() + 1))
                .collect(Collectors.joining());
    }
}
