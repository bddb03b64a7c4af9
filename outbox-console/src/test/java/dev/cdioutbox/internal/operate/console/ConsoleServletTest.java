package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.cdioutbox.internal.code.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that a failure reaches no page of the container, which would show its text and its stack trace to anybody. */
class ConsoleServletTest {
    private static final String SECRET = "DE89370400440532013000";

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final Map<String, Object> answered = new HashMap<>(Map.of("isCommitted", false));

    @ParameterizedTest
    @ValueSource(
            classes = {
                IllegalStateException.class,
                AssertionError.class,
                NoClassDefFoundError.class,
                StackOverflowError.class,
                OutOfMemoryError.class,
                IOException.class
            })
    void whateverFailsIsAnsweredWithACodeAndAnIdThatTheLogHas(Class<? extends Throwable> kind) throws Exception {
        Throwable failure = kind == AssertionError.class
                ? new AssertionError(SECRET)
                : kind.getConstructor(String.class).newInstance(SECRET);
        try (LogLines lines = new LogLines(ConsoleServlet.class.getName())) {
            serve(failure);

            JsonObject answer = answer();
            assertThat(answered).containsEntry("setStatus", 500);
            assertThat(answer.getString("code")).isEqualTo("OBX-0613");
            assertThat(lines.all())
                    .singleElement()
                    .asString()
                    .contains("OBX-0613", "GET /api/v1/state", answer.getString("id"), kind.getName())
                    .contains(getClass().getName())
                    .doesNotContain(SECRET);
        }
        assertThat(written.toString(StandardCharsets.UTF_8)).doesNotContain(SECRET, kind.getName());
    }

    /** Such as a client that has gone while it got a file. */
    @Test
    void failureWithinAnAnswerLeavesItAsItIs() throws IOException {
        answered.put("isCommitted", true);

        serve(new IOException(SECRET));

        assertThat(written.size()).isZero();
        assertThat(answered).doesNotContainKey("setStatus");
    }

    private void serve(Throwable failure) throws IOException {
        ConsoleServlet servlet = new ConsoleServlet();
        servlet.init();
        servlet.service(request(failure), response());
    }

    private JsonObject answer() {
        return Json.createReader(new StringReader(written.toString(StandardCharsets.UTF_8)))
                .readObject();
    }

    /** Its first question fails, as any other one might. */
    private static HttpServletRequest request(Throwable failure) {
        return (HttpServletRequest) Proxy.newProxyInstance(
                ConsoleServletTest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getMethod" -> "GET";
                    case "getPathInfo" -> "/api/v1/state";
                    case "getUserPrincipal" -> null;
                    default -> throw failure;
                });
    }

    private HttpServletResponse response() {
        return (HttpServletResponse) Proxy.newProxyInstance(
                ConsoleServletTest.class.getClassLoader(),
                new Class<?>[] {HttpServletResponse.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("getOutputStream")) {
                        return new MemoryOutput(written);
                    }
                    return arguments == null
                            ? answered.get(method.getName())
                            : answered.put(method.getName(), arguments[0]);
                });
    }
}
