package dev.cdioutbox.tests.console;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** The Chromium of this machine; Playwright downloads no browser. */
final class Chromium implements AutoCloseable {
    private static final Path EXECUTABLE = Path.of("/usr/bin/chromium");
    private static final List<String> ALONE = List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync");

    private final Playwright playwright;
    private final Browser browser;

    private Chromium() {
        PlaywrightAssertions.setDefaultAssertionTimeout(60_000);
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setTimeout(180_000)
                        .setExecutablePath(EXECUTABLE)
                        .setArgs(ALONE));
    }

    /** Passes the browser to tests as a parameter, and skips the tests on a machine without Chromium. */
    static final class Needed implements ExecutionCondition, ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
            return parameter.getParameter().getType() == Chromium.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
            return test.getRoot()
                    .getStore(ExtensionContext.Namespace.create(Chromium.class))
                    .getOrComputeIfAbsent(Chromium.class, type -> new Chromium(), Chromium.class);
        }

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext test) {
            return Files.isExecutable(EXECUTABLE)
                    ? ConditionEvaluationResult.enabled("Chromium is at " + EXECUTABLE)
                    : ConditionEvaluationResult.disabled(
                            "there is no Chromium at " + EXECUTABLE + "; on Debian: apt-get install chromium");
        }
    }

    /** Opens a page for a user of the sample; the browser answers a request for a password. */
    Page page(String url, String user) {
        return page(url, user, 1200, 800, ColorScheme.LIGHT);
    }

    /** Opens a page for an operator. */
    Page page(String url, int width, int height, ColorScheme colors) {
        return page(url, SampleServer.ADMIN, width, height, colors);
    }

    private Page page(String url, String user, int width, int height, ColorScheme colors) {
        BrowserContext context = browser.newContext(new Browser.NewContextOptions()
                .setBaseURL(url)
                .setViewportSize(width, height)
                .setColorScheme(colors)
                .setReducedMotion(ReducedMotion.REDUCE)
                .setHttpCredentials(user, SampleServer.PASSWORD));
        context.setDefaultTimeout(60_000);
        return context.newPage();
    }

    /** Opens a page whose browser cancels each request for a password. */
    Page unattendedPage() {
        return browser.newContext().newPage();
    }

    Page page(String url) {
        return page(url, SampleServer.ADMIN);
    }

    /** Saves a screenshot with the build's output. */
    static void picture(Page page, String name, boolean whole) {
        Path folder = Path.of(System.getProperty("test.target"), "screenshots");
        page.evaluate("scrollTo(0, 0)");
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(folder.resolve(name + ".png"))
                .setFullPage(whole));
    }

    /** The violations of accessibility rules that axe finds in a page. */
    static List<String> complaints(Page page) {
        List<String> complaints = new ArrayList<>();
        new AxeBuilder(page)
                // The pages have no frames. Without the legacy mode, axe spends most of its time on a second page for
                // frames.
                .setLegacyMode(true)
                .withTags(List.of("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"))
                .analyze()
                .getViolations()
                .forEach(rule -> rule.getNodes()
                        .forEach(node -> complaints.add(rule.getId() + " " + node.getHtml() + " "
                                + node.getFailureSummary().replace('\n', ' '))));
        return complaints;
    }

    @Override
    public void close() {
        playwright.close();
    }
}
