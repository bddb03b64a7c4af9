package dev.cdioutbox.tests.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The page lists the keys whose first message holds up others, and says how many follow before it is discarded. */
@ExtendWith({Chromium.Needed.class, SampleServer.Shared.class})
class BlockedKeysPageIT {
    private final Chromium chromium;
    private final SampleServer console;
    private Page page;

    BlockedKeysPageIT(Chromium chromium, SampleServer console) {
        this.chromium = chromium;
        this.console = console;
    }

    /** What follows a discarded message would be sent to the sample's consumer, which cannot read it. */
    @BeforeEach
    void blockAKeyOfAPausedDestination() {
        ConsoleClient.admin(console.server()).post("/outbox/api/v1/pause", "destination=default");
        MadeMessages.make(console, 1, OutboxStatus.ABANDONED, "customer-17", "{}", "no such customer");
        MadeMessages.make(console, 2, OutboxStatus.PENDING, "customer-17", "{}", null);
        MadeMessages.block(console, "customer-17");
    }

    @AfterEach
    void leaveNothing() {
        page.context().close();
        MadeMessages.delete(console);
        ConsoleClient.admin(console.server()).post("/outbox/api/v1/resume", "destination=default");
    }

    @Test
    void operatorDiscardsTheMessageThatHoldsUpItsKey() {
        open(SampleServer.ADMIN);
        assertThat(page.locator("#keys li")).hasCount(1);
        assertThat(page.locator("#keys li")).containsText("customer-17");
        assertThat(page.locator("#keys li")).containsText("2 messages behind it");
        assertThat(page.locator("#keys li")).containsText("no such customer");
        assertThat(Chromium.complaints(page)).isEmpty();

        page.locator("#keys .danger").click();
        assertThat(page.locator("#confirm")).containsText("2 messages of its key wait behind it, and follow.");
        page.locator("#confirm-yes").click();
        assertThat(page.locator("#confirm")).containsText("1 message changed.");
        page.locator("#confirm-no").click();
        assertThat(page.locator("#keys-part")).isHidden();
    }

    @Test
    void viewerSeesThatAKeyIsBlockedAndNotWhich() {
        open(SampleServer.VIEWER);

        assertThat(page.locator("#keys li")).containsText("2 messages behind it");
        assertThat(page.locator("#keys .danger")).isDisabled();
        assertThat(page.content()).doesNotContain("customer");
    }

    private void open(String user) {
        page = chromium.page(console.server().url("/").toString(), user);
        page.navigate("/outbox/");
    }
}
