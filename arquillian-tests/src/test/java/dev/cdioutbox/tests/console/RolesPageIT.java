package dev.cdioutbox.tests.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The page shows what its user may not see and not do. */
@ExtendWith({Chromium.Needed.class, SampleServer.Shared.class})
class RolesPageIT {
    private static final String SECRET = "DE89370400440532013000";
    private static final String CHANGES =
            "button[data-action], #pause-all, #destinations button, #message-actions button";

    private final Chromium chromium;
    private final SampleServer console;
    private Page page;

    RolesPageIT(Chromium chromium, SampleServer console) {
        this.chromium = chromium;
        this.console = console;
    }

    @BeforeEach
    void makeAMessageWithASecret() {
        MadeMessages.make(console, 1, OutboxStatus.ABANDONED, SECRET, SECRET, "the receiver refused " + SECRET);
    }

    @AfterEach
    void leaveNothing() {
        page.context().close();
        MadeMessages.delete(console);
    }

    @Test
    void viewerSeesThatContentsAndChangesNeedOtherRoles() {
        open(SampleServer.VIEWER, "#type=Made");

        assertThat(page.locator("#role"))
                .hasText(
                        "You have the role outbox-viewer. Payloads, keys, headers and the texts of errors need the role"
                                + " outbox-support. Changes need the role outbox-admin.");
        openTheMessage();
        assertThat(page.locator("#message-body")).containsText("Needs the role outbox-support.");
        assertEachChange(false);
        assertThat(page.locator("#filter [name=key]")).isDisabled();
        assertThat(page.locator("#filter [name=type]")).isEnabled();
        assertThat(page.content()).doesNotContain(SECRET);
        assertThat(Chromium.complaints(page)).isEmpty();
    }

    /** Such as one that a colleague has sent, who may search by keys. */
    @Test
    void linkThatAViewerMayNotFollowSaysSo() {
        open(SampleServer.VIEWER, "#key=" + SECRET);

        assertThat(page.locator("#found")).hasText("The role outbox-support is needed.");
        assertThat(page.locator("#rows tr")).hasCount(0);
        assertThat(page.locator("#link")).containsText("Live");
    }

    @Test
    void supportSeesContentsAndThatChangesNeedAnotherRole() {
        open(SampleServer.SUPPORT, "#key=" + SECRET);

        assertThat(page.locator("#role"))
                .hasText("You have the role outbox-support. Changes need the role outbox-admin.");
        openTheMessage();
        assertThat(page.locator("#message-body pre").last()).containsText(SECRET);
        assertEachChange(false);
    }

    @Test
    void operatorIsToldNothingOfRoles() {
        open(SampleServer.ADMIN, "#key=" + SECRET);

        openTheMessage();
        assertEachChange(true);
        assertThat(page.locator("#role")).isHidden();
    }

    private void open(String user, String hash) {
        page = chromium.page(console.server().url("/").toString(), user);
        page.navigate("/outbox/" + hash);
        assertThat(page.locator("#user")).hasText(user);
    }

    private void openTheMessage() {
        page.locator("#rows .title").click();
        assertThat(page.locator("#message-actions button").first()).isVisible();
    }

    private void assertEachChange(boolean isAllowed) {
        assertThat(page.locator("#destinations button").first()).isVisible();
        assertThat(page.locator(CHANGES)).not().hasCount(0);
        for (Locator button : page.locator(CHANGES).all()) {
            if (isAllowed) {
                assertThat(button).isEnabled();
            } else {
                assertThat(button).isDisabled();
                assertThat(button).hasAttribute("title", "Needs the role outbox-admin.");
            }
        }
    }
}
