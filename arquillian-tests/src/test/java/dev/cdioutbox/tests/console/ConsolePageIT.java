package dev.cdioutbox.tests.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.StringReader;
import java.net.URI;
import java.net.URLDecoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.ColorScheme;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.tests.server.SampleClient;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/** An operator finds, retries, replays and discards messages on the console's page, in a real browser. */
@ExtendWith({Chromium.Needed.class, SampleServer.Shared.class})
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsolePageIT {
    private static final String HOSTILE =
            "<img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script><b>'\"&amp;</b>";

    private static final Pattern FAILURES = Pattern.compile("(\\d+) failures");
    /** So often a message fails before the broker puts it aside. */
    private static final int ATTEMPTS_OF_THE_BROKER = 5;

    /** Of the API, as regular expressions. */
    private static List<String> documented;

    private final Chromium chromium;
    private final SampleServer console;
    private final SampleClient sample;
    private final List<String> errors = new ArrayList<>();
    private Page page;

    ConsolePageIT(Chromium chromium, SampleServer console) {
        this.chromium = chromium;
        this.console = console;
        this.sample = console.sample();
    }

    /**
     * Shortens the interval, since these tests wait for dispatch. Afterwards the other tests get the usual interval
     * again.
     */
    @BeforeAll
    static void hurry(SampleServer console) {
        console.server().set("outbox.dispatcher.interval", "PT1S");
    }

    @BeforeAll
    static void readTheDocument(SampleServer console) {
        String document = ConsoleClient.admin(console.server())
                .get("/outbox/api/v1/openapi.yaml")
                .body();
        documented = Pattern.compile("(?m)^  (/.*):$")
                .matcher(document)
                .results()
                .map(path -> "/outbox/api/v1" + path.group(1).replaceAll("\\{\\w+}", "[^/]+"))
                .toList();
    }

    @AfterAll
    static void slowDown(SampleServer console) {
        console.server().set("outbox.dispatcher.interval", "PT5S");
    }

    @BeforeEach
    void openConsole() {
        page = open(1200, 800, ColorScheme.LIGHT);
        // The first state moves what is below it, perhaps between the two halves of a click.
        assertThat(page.locator("#user")).not().isEmpty();
    }

    @AfterEach
    void nothingWentWrongInThePage() {
        page.context().close();
        assertThat(errors).as("what the browser's console says").isEmpty();
    }

    /** Restores the server for the next test. */
    @AfterEach
    void restore() {
        console.server().set("outbox.destinations.default.jndi", "jms/outbox");
        console.server().set("outbox.retry.max-attempts", "10");
        console.update("UPDATE outbox_control SET paused = 0");
        MadeMessages.delete(console);
        console.update("DELETE FROM outbox_partition WHERE destination = 'gone'");
    }

    private Page open(int width, int height, ColorScheme colors) {
        Page opened = chromium.page(console.server().url("/").toString(), width, height, colors);
        opened.onConsoleMessage(message -> noteError(message));
        opened.onPageError(errors::add);
        opened.onRequest(request -> noteUndocumented(URI.create(request.url()).getPath()));
        opened.navigate("/outbox/");
        assertThat(opened.locator("#link")).containsText("Live");
        return opened;
    }

    /** The page uses nothing of the console that scripts cannot use too. */
    private void noteUndocumented(String path) {
        if (path.startsWith("/outbox/")
                && !path.matches("/outbox/([a-z]+\\.[a-z]+|sign-out)?")
                && documented.stream().noneMatch(path::matches)) {
            errors.add("not in openapi.yaml: " + path);
        }
    }

    private void noteError(ConsoleMessage message) {
        if (message.type().equals("error") && !message.text().contains("status of 401")) {
            errors.add(message.text());
        }
    }

    @Test
    void deliveredOrderIsFoundWithItsStory() {
        String order = sample.placeOrder();
        search("Key", order);

        assertThat(rows()).hasCount(1);
        assertThat(rows().first()).containsText("Published");
        Locator stored = rows().first().locator("time");
        assertThat(stored).hasText(Pattern.compile("\\d\\d:\\d\\d:\\d\\d (UTC|GMT.*)"));
        assertThat(stored).hasAttribute("title", Pattern.compile("[-\\d]{10}T[.:\\d]{12}Z"));
        assertThat(page.getByLabel("Stored from")).hasAccessibleName(Pattern.compile("Stored from \\(.+\\)"));
        rows().first().getByText("OrderPlaced").click();
        assertThat(drawer()).containsText("\"customer\": \"Ada\"");
        assertThat(drawer()).containsText("Published, 1 attempt in all");
        assertThat(drawer()).containsText(order);
        assertThat(page.locator("#verdicts")).containsText("All is well");
    }

    @Test
    void messageIsFoundByItsIdAndByItsContext() {
        make(2, OutboxStatus.PUBLISHED, null, "{}", null);
        console.update("UPDATE outbox_message SET correlation_id = 'checkout-7', tenant_id = 'north' WHERE seq ="
                + " (SELECT MIN(seq) FROM outbox_message WHERE event_type = 'Made')");
        search("Tenant", "north");
        assertThat(rows()).hasCount(1);
        search("Correlation id", "checkout-7");
        assertThat(rows()).hasCount(1);
        rows().first().getByText("Made").click();
        String id = drawer().locator("a[href*='id=']").first().textContent();
        page.keyboard().press("Escape");

        search("Tenant", "south");
        assertThat(rows()).hasCount(0);
        lookUp(id);
        assertThat(drawer()).containsText(id);
        page.reload();
        assertThat(drawer()).containsText(id);
        drawer().getByText("checkout-7").click();
        assertThat(page.locator("#message")).isHidden();
        assertThat(rows()).hasCount(1);

        String unknown = UUID.randomUUID().toString();
        lookUp(unknown);
        assertThat(page.locator("#lookup-result")).containsText("no message with the id " + unknown);
        assertThat(page.locator("#message")).isHidden();
        assertThat(page.locator("#link")).containsText("Live");
        errors.removeIf(error -> error.contains("status of 404"));
    }

    /** The page works with the password in its URL, and the browser remembers it. */
    @Test
    void browserForgetsThePasswordWhenTheOperatorSignsOut() {
        String url = console.server().url("/outbox/").toString();
        Page own = chromium.unattendedPage();
        own.navigate(url.replace("://", "://" + SampleServer.ADMIN + ":try-it@"));
        assertThat(own.locator("#link")).containsText("Live");
        assertThat(own.locator("#user")).hasText(SampleServer.ADMIN);

        own.getByText("Sign out").click();
        assertThat(own.locator("#banner")).containsText("You are signed out.");
        assertThat(own.locator("main")).isHidden();

        assertThatThrownBy(() -> own.navigate(url)).hasMessageContaining("ERR_INVALID_AUTH_CREDENTIALS");
        own.context().close();
    }

    private void lookUp(String id) {
        page.getByLabel("Message id").fill(id);
        page.locator("#lookup button").click();
    }

    @Test
    void failingBrokerIsSeenAndItsReturnToo() {
        int before = console.server().log().length();
        search("Key", orderThatFindsNoBroker());
        assertThat(console.server().log().substring(before))
                .contains("OBX-0401")
                // A stack trace, of the outbox or of the server, would hide the line.
                .doesNotContain("\tat ");

        assertThat(rows().first()).containsText("Waiting");
        assertThat(page.locator("#verdicts")).containsText("Delivery to default fails on this node: OBX-0501");
        assertThat(page.locator("#destinations")).containsText("jms/gone");
        assertThat(page.locator("#destinations .badge")).hasText("Failing");
        assertThat(page.locator("#destinations .details")).containsText("jms/gone · ");
        assertThat(page.locator("#destinations .details")).containsText(" waiting, the oldest for ");
        assertThat(page.locator("#pending")).not().hasText("0");
        assertThat(page.locator("#nodes")).containsText("serves this page");
        Chromium.picture(page, "docs/console", false);
        page.getByText("What is wrong?").click();
        assertThat(page.locator("#findings")).containsText("OBX-0401");
        rows().first().getByText("OrderPlaced").click();
        assertThat(drawer()).containsText("Its destination fails: OBX-0501");
        page.keyboard().press("Escape");

        // An operator who has paused it knows, and nothing is sent that could fail.
        console.update("UPDATE outbox_control SET paused = 1 WHERE destination = 'default'");
        assertThat(page.locator("#verdicts")).containsText("Paused: default. What goes there waits.");
        assertThat(page.locator("#verdicts")).not().containsText("Deliver");
        assertThat(page.locator("#destinations .badge")).hasText("Paused");
        // Paused, it stays where it is.
        console.update(
                "UPDATE outbox_control SET backfill_partition = 0, backfill_source = 'old', backfill_types = 'Made',"
                        + " backfill_from = NOW(), backfill_started_at = NOW(), backfill_position = 0, backfill_copied = 1200,"
                        + " backfill_present = 0, backfill_skipped = 3 WHERE destination = 'default'");
        assertThat(page.locator("#destinations .badge")).hasText("Backfill paused: 1,200 copied, 3 skipped");

        console.update("UPDATE outbox_control SET backfill_partition = NULL, backfill_started_at = NULL, paused = 0");
        console.server().set("outbox.destinations.default.jndi", "jms/outbox");
        assertThat(rows().first()).containsText("Published");
        assertThat(page.locator("#verdicts")).containsText("All is well");
        assertThat(page.locator("#destinations .details")).hasText("jms/outbox · exactly-once · 0 waiting");
        page.getByText("What if something dies").click();
        assertThat(page.getByText("its host: may-lose-the-last")).isVisible();
    }

    /** The first lines show a node that hangs, shadows or does not dispatch, with the worst problem first. */
    @Tag("full")
    @Test
    void firstLinesShowTheState() {
        make(1, OutboxStatus.PENDING, null, "{}", null);
        console.update("INSERT INTO outbox_partition (id, application, destination, partition_no, partition_count)"
                + " VALUES (4096, 'sample', 'gone', 2, 64)");
        console.update("UPDATE outbox_message SET created_at = DATEADD(MINUTE, -3, CURRENT_TIMESTAMP),"
                + " destination = 'gone' WHERE event_type = 'Made'");
        console.update(
                "UPDATE outbox_queue SET queue_id = 4096 WHERE seq IN (SELECT seq FROM outbox_message WHERE event_type = 'Made')");
        page.locator("#stuck").click();
        assertThat(drawer()).containsText("outbox.destinations.gone.jndi");
        page.keyboard().press("Escape");
        assertThat(page.locator("#verdicts"))
                .containsText(
                        "The oldest message has waited for more than 3 min: the node that answers has no such destination");

        page.route("**/api/v1/state*", route -> {
            APIResponse answer = route.fetch();
            route.fulfill(new Route.FulfillOptions().setResponse(answer).setBody(told(answer.text())));
        });
        assertThat(page.locator("#verdicts li").first())
                .containsText("In doubt: 2 messages to default for more than 3 min.");
        assertThat(page.locator("#verdicts li").first()).containsText("ROLLBACK PREPARED");
        assertThat(page.locator("#verdicts li").nth(1))
                .hasText(
                        "A delivery on this node waits for the broker or the database to answer: to default for more than"
                                + " 1 min. If these answer others, restart this server: that frees what it holds.");
        assertThat(page.locator("#destinations .badge")).hasText("No answer");
        assertThat(page.locator("#verdicts")).containsText("No node dispatches.");
        assertThat(page.locator("#verdicts")).containsText("The dispatcher is switched off on this node");
        assertThat(page.locator("#verdicts")).containsText("This node only shadows: it sends nowhere what is due");
        Chromium.picture(page, "console-silent", false);
    }

    /** The sample has one destination only; BackfillIT shows what the operations do. */
    @Test
    void backfillIsStartedAndCancelled() {
        List<String> sent = new ArrayList<>();
        JsonObject backfill = Json.createObjectBuilder()
                .add("running", true)
                .add("paused", true)
                .add("copied", 3)
                .add("skipped", 1)
                .build();
        page.route("**/api/v1/state*", route -> {
            APIResponse answer = route.fetch();
            JsonObject state =
                    Json.createReader(new StringReader(answer.text())).readObject();
            JsonObject one = state.getJsonObject("destinations").getJsonObject("default");
            JsonObjectBuilder reports = Json.createObjectBuilder(one);
            JsonObjectBuilder both = Json.createObjectBuilder()
                    .add("default", one)
                    .add("reports", sent.isEmpty() ? reports : reports.add("backfill", backfill));
            route.fulfill(new Route.FulfillOptions()
                    .setResponse(answer)
                    .setBody(Json.createObjectBuilder(state)
                            .add("destinations", both)
                            .build()
                            .toString()));
        });
        page.route(Pattern.compile("/api/v1/(cancel-)?backfill"), route -> {
            sent.add(URLDecoder.decode(route.request().postData(), UTF_8).replaceAll("from=[^&]+Z", "from=…"));
            route.fulfill(new Route.FulfillOptions().setBody("{\"changed\":1}"));
        });

        page.getByLabel("Backfill reports", new Page.GetByLabelOptions().setExact(true))
                .click();
        page.locator("#confirm-yes").click();
        assertThat(confirm().locator("textarea")).isFocused();
        confirm().locator("textarea").fill("OrderPlaced\n OrderCancelled ");
        confirm().locator("[name=from]").fill("2026-11-01T00:00");
        confirm("Backfill");
        assertThat(confirm()).containsText("Started.");
        close();

        assertThat(page.locator("#destinations")).containsText("Backfill paused: 3 copied, 1 skipped");
        assertThat(page.getByLabel("Resume reports")).isVisible();
        page.getByLabel("Cancel the backfill of reports").click();
        confirm("Cancel backfill");
        assertThat(confirm()).containsText("Cancelled.");
        close();
        assertThat(sent)
                .containsExactly(
                        "outbox=default&destination=reports&source=default&type=OrderPlaced&type=OrderCancelled&from=…",
                        "outbox=default&destination=reports");
    }

    @Tag("full")
    @Test
    void pageThatGetsNoAnswerDoesNotSayThatAllIsWell() {
        assertThat(page.locator("#verdicts")).containsText("All is well");
        page.route(
                "**/api/v1/state*",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setStatus(503)
                        .setBody("{\"error\":\"The database refused.\",\"code\":\"OBX-0302\",\"id\":\"1a2b\"}")));
        assertThat(page.locator("#banner"))
                .hasText("The database refused. OBX-0302; the server's log says why (id 1a2b).");
        assertThat(page.locator("#verdicts")).containsText("Nothing new is known. What is shown is how it was at");

        page.unroute("**/api/v1/state*");
        assertThat(page.locator("#verdicts")).containsText("All is well");
        errors.removeIf(error -> error.contains("status of 503"));
    }

    /** Changes the state that the server answered, so that all problems occur at once. */
    private static String told(String state) {
        JsonObject answered = Json.createReader(new StringReader(state)).readObject();
        JsonObjectBuilder destination = Json.createObjectBuilder(
                        answered.getJsonObject("destinations").getJsonObject("default"))
                .add("silentSeconds", 75)
                .add("inDoubt", Json.createObjectBuilder().add("messages", 2).add("seconds", 190));
        return Json.createObjectBuilder(answered)
                .add("destinations", Json.createObjectBuilder().add("default", destination))
                .add("idle", true)
                .add("dispatching", false)
                .add("shadowDestination", "discard")
                .build()
                .toString();
    }

    /**
     * Places orders until the log names the missing queue, since the server applies the change with a delay. Returns
     * the last order, which is pending.
     */
    private String orderThatFindsNoBroker() {
        int before = console.server().log().length();
        console.server().set("outbox.destinations.default.jndi", "jms/gone");
        AtomicReference<String> last = new AtomicReference<>();
        await().atMost(Duration.ofMinutes(4))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> {
                    last.set(sample.placeOrder());
                    return console.server().log().indexOf("jms/gone", before) >= 0;
                });
        return last.get();
    }

    @Test
    void abandonedMessageIsRetriedAndArrives() {
        console.server().set("outbox.retry.max-attempts", "1");
        String poisoned = abandon();
        search("Key", poisoned);

        assertThat(rows().first()).containsText("Abandoned");
        assertThat(page.locator("#verdicts")).containsText("1 message abandoned. It is sent only if you retry it.");
        rows().first().getByText("OrderPlaced").click();
        assertThat(drawer()).containsText("OBX-0503");

        // Repairs the header that JMS refuses, so that the operator's retry succeeds.
        console.update("UPDATE outbox_message SET headers = NULL WHERE message_key = ?", poisoned);
        action("Retry…");
        assertThat(confirm()).containsText("Retry 1 message?");
        confirm("Retry");
        assertThat(confirm()).containsText("1 message changed.");
        close();
        assertThat(drawer()).containsText("Retried by operator");
        assertThat(console.server().log()).contains("OBX-0602: retry by operator changed 1: ");
        assertThat(page.locator("#message-status")).hasText("Published");
        Chromium.picture(page, "docs/message", false);
        page.keyboard().press("Escape");
        assertThat(rows().first()).containsText("Published");
        assertThat(page.locator("#verdicts")).containsText("All is well");
        assertThat(sample.deliveries(poisoned)).hasSize(1);
    }

    /** Makes JMS refuse one message of a batch. The other message proves that the broker works. */
    private String abandon() {
        pause();
        String poisoned = sample.placeOrder();
        String healthy = sample.placeOrder();
        assertThat(console.update(
                        "UPDATE outbox_message SET headers = '{\"no name\":\"x\"}' WHERE message_key = ?", poisoned))
                .isEqualTo(1);
        resume();
        search("Key", healthy);
        assertThat(rows().first()).containsText("Published");
        return poisoned;
    }

    private void pause() {
        page.getByLabel("Pause default").click();
        assertThat(confirm()).containsText("No node sends anything there");
        assertThat(confirm()).containsText("0 messages wait there now.");
        confirm("Pause");
        assertThat(confirm()).containsText("Paused.");
        close();
        assertThat(page.locator("#verdicts")).containsText("Paused: default");
    }

    private void resume() {
        page.getByLabel("Resume default").click();
        assertThat(confirm()).containsText("2 messages wait there to be sent.");
        confirm("Resume");
        assertThat(confirm()).containsText("Resumed.");
        close();
    }

    @Test
    void replaySendsTheSameIdAndSendAsNewAnother() {
        String order = sample.placeOrder();
        search("Key", order);
        assertThat(rows().first()).containsText("Published");
        rows().first().getByText("OrderPlaced").click();

        action("Replay…");
        assertThat(confirm()).containsText("the same id");
        confirm("Replay, same id");
        assertThat(confirm()).containsText("1 message changed.");
        close();
        assertThat(drawer()).containsText("Replayed by operator");
        assertThat(page.locator("#message-status")).hasText("Published");

        action("Replay as new…");
        assertThat(confirm()).containsText("every consumer acts once more");
        confirm("Replay as new");
        assertThat(confirm()).containsText("1 message changed.");
        close();
        page.keyboard().press("Escape");
        assertThat(rows()).hasCount(2);
        rows().first().getByText("OrderPlaced").click();
        assertThat(drawer()).containsText("Caused by");
    }

    @Test
    void whatOthersWroteIsTextWhateverItContains() {
        make(1, OutboxStatus.ABANDONED, "<b>key</b>", HOSTILE, HOSTILE);
        search("Event type", "Made");

        assertThat(rows().first()).containsText(HOSTILE);
        assertThat(rows().first()).containsText("<b>key</b>");
        rows().first().getByText("Made").click();
        assertThat(drawer().locator("pre").nth(0)).hasText(HOSTILE);
        assertThat(drawer().locator("pre").nth(1)).hasText(HOSTILE);
        assertThat(page.locator("dialog img, .list img, .list b, dialog b")).hasCount(0);
        assertThat(page.evaluate("window.pwned")).isNull();
    }

    /** Before the last test, for the same reason. */
    @Order(Integer.MAX_VALUE - 1)
    @Test
    void sampleHasSomethingPutAside() {
        assertThat(page.locator("#consumers .badge")).hasText("No recent failure");
        page.navigate("/#put-aside");
        // The page is loaded before its script listens to the button.
        assertThat(page.locator("#put-aside-note")).not().isEmpty();
        page.locator("#send-unknown").click();
        assertThat(page.locator("#put-aside-list")).containsText("StockCounted, version 1");

        ConsoleClient.admin(console.server())
                .post("/outbox/api/v1/dead-letters/discard", "queue=exceptions&type=StockCounted&below=1");
        page.reload();
        assertThat(page.locator("#put-aside-note")).hasText("Nothing is put aside.");
    }

    /** The consumer handles no message of this type. The last test, because the first lines then name the failure for minutes. */
    @Order(Integer.MAX_VALUE)
    @Test
    void messageWhoseConsumerFailsIsFollowedToTheEndSentBackAndDiscarded() {
        int before = console.server().log().length();
        int failures = failures() + ATTEMPTS_OF_THE_BROKER;
        make(1, OutboxStatus.PUBLISHED, "order-4712", "{}", null);
        search("Event type", "Made");
        page.locator("[data-action=replay]").click();
        confirm("Replay, same id");
        close();
        assertThat(page.locator("#verdicts")).containsText("Consumer shipping failed in the last 5 minutes: OBX-0511");
        assertThat(page.locator("#consumers"))
                .containsText("%d failures, %d redelivered"
                        .formatted(failures, failures - failures / ATTEMPTS_OF_THE_BROKER));
        await().atMost(Duration.ofMinutes(4))
                .until(() -> console.server().log().indexOf("OBX-0524: dead letters of consumers", before) >= 0);

        Locator letters = page.locator("#letters-part");
        letters.getByLabel("Key").fill("order-4712");
        await().atMost(Duration.ofMinutes(4)).until(() -> {
            letters.getByText("Show", new Locator.GetByTextOptions().setExact(true))
                    .click();
            return page.locator("#letters tr").count() == 1;
        });
        assertThat(page.locator("#letters tr")).containsText("outbox");
        assertThat(page.locator("#letters tr")).containsText("Consumer shipping: OBX-0511");
        page.locator("#letters .title").click();
        assertThat(page.locator("#message-status")).hasText("Dead letter");
        assertThat(drawer()).containsText("Its consumer could not handle it. It came from outbox.");
        assertThat(drawer().locator("pre.reason").first()).containsText("Consumer shipping: OBX-0511");
        assertThat(drawer()).containsText("Consumer shipping failed, 5 times in all: OBX-0511");
        assertThat(drawer()).containsText("Put aside by the broker, in exceptions");
        Chromium.picture(page, "dead-letter", false);

        action("Send back…");
        confirm("Send back");
        assertThat(confirm()).containsText("1 message changed.");
        close();
        assertThat(drawer()).containsText("Sent back to its consumer by operator");
        assertThat(drawer()).containsText("10 times in all");
        page.keyboard().press("Escape");

        await().atMost(Duration.ofMinutes(4)).until(() -> {
            page.locator("[data-action=discard-dead-letters]").click();
            page.locator("#confirm").waitFor();
            boolean isBack = confirm().textContent().contains("Discard 1 message?");
            if (!isBack) {
                page.keyboard().press("Escape");
            }
            return isBack;
        });
        assertThat(confirm()).containsText("Which: dead letters in exceptions; key order-4712.");
        confirm("Discard");
        assertThat(confirm()).containsText("1 message changed.");
        close();
        assertThat(page.locator("#letters-found")).hasText("No dead letter matches.");
        assertThat(page.locator("#audit li").first())
                .containsText(Pattern.compile("discarded *dead letters in exceptions; key order-4712"));
    }

    /** How often the consumer has failed so far. The test before has let it fail too. */
    private int failures() {
        Matcher failures = FAILURES.matcher(page.locator("#consumers").textContent());
        return failures.find() ? Integer.parseInt(failures.group(1)) : 0;
    }

    /** The state counts it as abandoned, so the list and its buttons have to know it. */
    @Tag("full")
    @Test
    void messageThatCannotBeReadIsListedAndDiscarded() {
        make(1, OutboxStatus.ABANDONED, "order-4711", "{}", "refused");
        console.update("UPDATE outbox_message SET headers = '<b>no headers' WHERE event_type = 'Made'");
        search("Event type", "Made");

        assertThat(page.locator("#found")).containsText("1 message");
        assertThat(rows().first()).containsText("Abandoned");
        assertThat(rows().first()).containsText("order-4711");
        assertThat(rows().first()).containsText("It cannot be read: ");
        rows().first().getByText("Made").click();
        assertThat(drawer()).containsText("correct the row and retry it, or discard it");
        Chromium.picture(page, "console-unreadable", false);

        action("Discard…");
        confirm("Discard");
        assertThat(confirm()).containsText("1 message changed.");
        close();
        assertThat(page.locator("#message-status")).hasText("Discarded");
        assertThat(drawer()).containsText("Discarded by operator");
    }

    @Tag("full")
    @Test
    void payloadIsLaidOutAndEachValueIsAsItWasStored() {
        make(
                1,
                OutboxStatus.EXPIRED,
                null,
                "{\"id\":12345678901234567890,\"price\":1.10,\"price\":\"a, {\\\"b: [\",\"none\":[ ]}",
                null);
        search("Event type", "Made");

        rows().first().getByText("Made").click();
        assertThat(drawer().locator("pre").first())
                .hasText("""
                {
                  "id": 12345678901234567890,
                  "price": 1.10,
                  "price": "a, {\\"b: [",
                  "none": []
                }""", new LocatorAssertions.HasTextOptions().setUseInnerText(true));
    }

    @Tag("full")
    @Test
    void manyMessagesAreDiscardedBatchByBatchAndCounted() {
        make(1200, OutboxStatus.ABANDONED, null, "{}", "refused");
        make(3, OutboxStatus.PUBLISHED, null, "{}", null);
        search("Event type", "Made");
        assertThat(page.locator("#found")).containsText("more may follow");
        assertThat(page.locator("#verdicts")).containsText("1,200 messages abandoned. They are sent only");

        page.locator("[data-action=discard]").click();
        assertThat(confirm()).containsText("Discard 1,200 messages?");
        assertThat(confirm()).containsText("event type Made. Of these, what is waiting, retrying or abandoned.");
        Chromium.picture(page, "docs/confirm", false);
        confirm("Discard");
        assertThat(confirm()).containsText("1,200 messages changed.");
        assertThat(page.locator("#confirm-done")).hasText("1,200 of 1,200");
        close();
        // An entry for each batch, the latest one first.
        assertThat(page.locator("#audit li").nth(0)).containsText("200 changes");
        assertThat(page.locator("#audit li").nth(1)).containsText("500 changes");
        assertThat(page.locator("#audit li").nth(2)).containsText("500 changes");
        rows().nth(10).locator("button").click();
        assertThat(drawer()).containsText("Discarded by operator, with 199 others");
        page.keyboard().press("Escape");

        page.locator("[data-action=discard]").click();
        assertThat(confirm()).containsText("Nothing that matches is still to be sent.");
        assertThat(page.locator("#confirm-yes")).isHidden();
    }

    @Test
    void listIsPagedAndFilteredAndTheAddressKeepsTheFilter() {
        make(70, OutboxStatus.PUBLISHED, null, "{}", null);
        make(5, OutboxStatus.EXPIRED, null, "{}", null);
        search("Event type", "Made");
        assertThat(rows()).hasCount(50);
        page.locator("#older").click();
        assertThat(rows()).hasCount(25);
        assertThat(page.locator("#found")).containsText("before sequence");
        page.locator("#newest").click();
        assertThat(rows()).hasCount(50);

        Locator jump = page.locator(".jumps").getByText("Dead letters");
        assertThat(jump).hasCSS("color", "rgb(47, 91, 234)");
        jump.click();
        assertThat(page.locator("#letters-title")).isFocused();
        assertThat(page.locator("#letters-title")).isInViewport();
        assertThat(page).hasURL(Pattern.compile("type=Made"));

        page.getByLabel("Expired", new Page.GetByLabelOptions().setExact(true)).check();
        assertThat(rows()).hasCount(5);
        page.reload();
        assertThat(rows()).hasCount(5);
        page.goBack();
        assertThat(rows()).hasCount(50);
        page.getByLabel("Stored before").fill("2020-01-01T00:00");
        page.locator("#filter .primary").click();
        assertThat(page.locator("#found")).hasText("No message matches.");
    }

    @Tag("full")
    @Test
    void everythingIsReachedByTheKeyboard() {
        make(2, OutboxStatus.ABANDONED, null, "{}", "refused");
        search("Event type", "Made");
        assertThat(rows()).hasCount(2);

        rows().first().locator("button").focus();
        page.keyboard().press("Enter");
        assertThat(drawer()).isVisible();
        page.keyboard().press("Escape");
        assertThat(page.locator("#message")).isHidden();
        assertThat(page.evaluate("document.activeElement.className")).isEqualTo("title");

        page.locator("[data-action=discard]").focus();
        page.keyboard().press("Enter");
        assertThat(confirm()).isVisible();
        assertThat(page.evaluate("document.activeElement.id"))
                .as("what Enter would press")
                .isEqualTo("confirm-no");
        page.keyboard().press("Tab");
        assertThat(page.evaluate("document.activeElement.id")).isEqualTo("confirm-yes");
        page.keyboard().press("Escape");
        assertThat(page.locator("#confirm")).isHidden();
        assertThat(rows().first()).containsText("Abandoned");
    }

    @Tag("full")
    @Test
    void pageIsAccessibleInLightInDarkAndOnAPhone() {
        make(3, OutboxStatus.ABANDONED, "order-4711", "{\"a\":1}", "OBX-0503: JMS refused it");
        make(3, OutboxStatus.PUBLISHED, "order-4711", "{\"a\":1}", null);
        for (ColorScheme colors : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            String name = colors.name().toLowerCase(Locale.ROOT);
            assertAccessible(open(1360, 900, colors), name, true);
            // The phone has the colours of the wide page, so axe checks its layout in one scheme only.
            assertAccessible(open(390, 844, colors), "phone-" + name, colors == ColorScheme.LIGHT);
        }
    }

    private void assertAccessible(Page opened, String name, boolean asked) {
        assertThat(opened.locator("#rows tr").first()).isVisible();
        Chromium.picture(opened, "console-" + name, true);
        assertNoComplaints(opened, name, asked);
        assertThat(opened.evaluate("document.documentElement.scrollWidth <= innerWidth"))
                .as("nothing sticks out of the page, " + name)
                .isEqualTo(true);
        opened.locator("#rows .title").first().click();
        assertThat(opened.locator("#message")).containsText("Payload");
        Chromium.picture(opened, "console-message-" + name, false);
        assertNoComplaints(opened, "message, " + name, asked);
        opened.locator("#message-actions button").first().click();
        assertThat(opened.locator("#confirm")).isVisible();
        Chromium.picture(opened, "console-confirm-" + name, false);
        assertNoComplaints(opened, "confirmation, " + name, asked);
        opened.context().close();
    }

    private static void assertNoComplaints(Page opened, String name, boolean asked) {
        if (asked) {
            assertThat(Chromium.complaints(opened)).as(name).isEmpty();
        }
    }

    private void search(String field, String text) {
        Locator filter = page.locator("#filter");
        filter.getByText("Clear", new Locator.GetByTextOptions().setExact(true)).click();
        filter.getByLabel(field, new Locator.GetByLabelOptions().setExact(true)).fill(text);
        filter.getByText("Show", new Locator.GetByTextOptions().setExact(true)).click();
        assertThat(page).hasURL(Pattern.compile(text));
    }

    private Locator rows() {
        return page.locator("#rows tr");
    }

    private Locator drawer() {
        return page.locator("#message-body");
    }

    private Locator confirm() {
        return page.locator("#confirm");
    }

    private void confirm(String button) {
        assertThat(page.locator("#confirm-yes")).hasText(button);
        page.locator("#confirm-yes").click();
    }

    private void close() {
        assertThat(page.locator("#confirm-no")).hasText("Close");
        page.locator("#confirm-no").click();
        assertThat(confirm()).isHidden();
    }

    private void action(String name) {
        page.locator("#message-actions")
                .getByText(name, new Locator.GetByTextOptions().setExact(true))
                .click();
    }

    private void make(int count, OutboxStatus status, String key, String payload, String error) {
        MadeMessages.make(console, count, status, key, payload, error);
    }
}
