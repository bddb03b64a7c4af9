package dev.cdioutbox.internal.operate.console;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.enterprise.inject.spi.CDI;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.JsonbConfig;
import jakarta.json.bind.adapter.JsonbAdapter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxUnavailableException;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.FailureTrace;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.operate.ActingRole;
import dev.cdioutbox.operate.UnknownNameException;
import org.jspecify.annotations.Nullable;

/** The console: the files of its page, and the API. Answers a failure with a status, a sentence and a code. */
public final class ConsoleServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private static final Logger LOG = Logger.getLogger(ConsoleServlet.class.getName());
    private static final String API = "/api/v1/";
    private static final String DESCRIPTION = API + "openapi.yaml";
    private static final String SIGN_OUT = "/sign-out";

    /** Where files are besides their own paths. */
    private static final Map<String, String> ELSEWHERE =
            Map.of("/", "/index.html", API, "/openapi.yaml", DESCRIPTION, "/openapi.yaml");

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=UTF-8",
            "css", "text/css;charset=UTF-8",
            "svg", "image/svg+xml",
            "yaml", "application/yaml",
            "js", "text/javascript;charset=UTF-8");

    /** A name of letters: without a further slash or dot, no request can read other resources. */
    private static final Pattern FILE = Pattern.compile("/([a-z]+\\.(html|css|svg|js|yaml))");

    private final transient ConsoleSecurity consoleSecurity = new ConsoleSecurity();
    private transient Jsonb jsonb;

    @Override
    public void init() {
        jsonb = binding();
    }

    /** A separate binding: the application's own could name the fields differently. */
    static Jsonb binding() {
        return JsonbBuilder.create(new JsonbConfig().withNullValues(true).withAdapters(new PayloadText()));
    }

    /** A binary payload is null; an operator downloads it. Public, as JSON-B needs it. */
    public static final class PayloadText implements JsonbAdapter<OutboxPayload, String> {
        @Override
        public String adaptToJson(OutboxPayload payload) {
            return payload.isBinary() ? null : payload.text();
        }

        @Override
        public OutboxPayload adaptFromJson(String text) {
            throw new UnsupportedOperationException("the API takes no messages");
        }
    }

    /**
     * The payload of a message, as a file. Its type is that of no page and no script, whatever the application has named it.
     *
     * @param name of the file
     */
    record Download(String name, byte[] content) {}

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        consoleSecurity.protect(response);
        try {
            Optional<Role> role = consoleSecurity.admit(request, response);
            if (role.isPresent()) {
                answer(role.get(), request, response);
            }
        } catch (RequestRefusedException refusal) {
            LOG.fine(() ->
                    OutboxCode.REQUEST_REFUSED.text(request.getMethod(), request.getPathInfo(), refusal.getMessage()));
            error(response, refusal.status(), refusal.getMessage(), refusal.code());
        } catch (UnknownNameException unknown) {
            error(
                    response,
                    HttpServletResponse.SC_NOT_FOUND,
                    "There is no destination, or no outbox, of this name.",
                    unknown.code());
        } catch (OutboxException known) {
            if (known.code().equals(OutboxCode.CDC_OPERATION.code())) {
                error(
                        response,
                        HttpServletResponse.SC_CONFLICT,
                        "Change data capture sends this destination: use its connector, or replay as new.",
                        known.code());
                return;
            }
            String id = logged(request, FailureReason.of(known));
            error(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, sentence(known), known.code(), id);
        } catch (Throwable unknown) {
            if (response.isCommitted()) {
                // The client has gone, or gets a part of its answer.
                LOG.fine(() -> "An answer was not sent as a whole: "
                        + FailureTrace.of(unknown).inOneLine());
                return;
            }
            // The container's page would show the text and the trace to anybody. The text may quote a payload.
            String id = logged(request, FailureTrace.of(unknown).inOneLine());
            error(
                    response,
                    HttpServletResponse.SC_INTERNAL_SERVER_ERROR,
                    "This failed.",
                    OutboxCode.CONSOLE_FAILED.code(),
                    id);
        }
    }

    /** @return an id by which the line is found */
    private static String logged(HttpServletRequest request, String reason) {
        String id = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
        LOG.warning(OutboxCode.CONSOLE_FAILED.text(request.getMethod(), request.getPathInfo(), reason, id));
        return id;
    }

    /** A sentence for the operator, which names the database if it is the cause. */
    private static String sentence(OutboxException known) {
        return known instanceof OutboxUnavailableException
                ? "The database refused, or did not answer."
                : "This failed.";
    }

    private void answer(Role role, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        String path = request.getPathInfo();
        String method = request.getMethod().equals("HEAD") ? "GET" : request.getMethod();
        if (method.equals("POST")) {
            consoleSecurity.requireCsrfHeader(request);
        }
        if (path == null) {
            addSlash(request, response);
        } else if (path.startsWith(API) && !ELSEWHERE.containsKey(path)) {
            String resource = path.substring(API.length());
            Object answer = answer(ApiOperation.find(method, resource), role, resource, request);
            if (answer instanceof Download file) {
                download(response, file);
            } else {
                json(response, answer);
            }
        } else if (method.equals("GET")) {
            sendFile(path, response);
        } else if (method.equals("POST") && path.equals(SIGN_OUT)) {
            signOut(request, response);
        } else {
            throw new RequestRefusedException(HttpServletResponse.SC_METHOD_NOT_ALLOWED, "GET reads and POST changes.");
        }
    }

    /**
     * Sends the browser to the same address with a slash. The container's sendRedirect() would make an absolute address,
     * which lacks a prefix that a proxy puts before the path.
     */
    private static void addSlash(HttpServletRequest request, HttpServletResponse response) {
        String path = request.getServletPath();
        response.setStatus(HttpServletResponse.SC_FOUND);
        response.setHeader("Location", path.substring(path.lastIndexOf('/') + 1) + "/");
    }

    /** Looks the bean up for each request: its dependencies exist only in a request. */
    private static <B> Object answer(ApiOperation<B, ?> operation, Role role, String path, HttpServletRequest request) {
        ApiRequest asked =
                operation.request(request.getUserPrincipal().getName(), role, path, RequestParameters.of(request));
        CDI.current().select(ActingRole.class).get().set(role.label());
        return operation.handler().apply(CDI.current().select(operation.bean()).get(), asked);
    }

    /** Serves a file of the page from the jar. */
    static void sendFile(String path, HttpServletResponse response) throws IOException {
        Matcher file = FILE.matcher(ELSEWHERE.getOrDefault(path, path));
        try (InputStream content =
                file.matches() ? ConsoleServlet.class.getResourceAsStream("page/" + file.group(1)) : null) {
            if (content == null) {
                throw RequestRefusedException.notFound();
            }
            response.setContentType(TYPES.get(file.group(2)));
            content.transferTo(response.getOutputStream());
        }
    }

    /**
     * Ends the session, with its cookie. The status 401 makes a browser forget the password of HTTP Basic, which it
     * would otherwise send with the next request. The answer has no challenge, because the browser would ask for a user
     * at once.
     */
    private void signOut(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        request.logout();
        error(response, HttpServletResponse.SC_UNAUTHORIZED, "You are signed out.", OutboxCode.REQUEST_REFUSED.code());
    }

    private static void download(HttpServletResponse response, Download file) throws IOException {
        response.setContentType("application/octet-stream");
        response.setHeader("Content-Disposition", "attachment; filename=\"" + file.name() + "\"");
        response.getOutputStream().write(file.content());
    }

    private void json(HttpServletResponse response, Object answer) throws IOException {
        response.setContentType("application/json");
        response.getOutputStream().write(jsonb.toJson(answer).getBytes(StandardCharsets.UTF_8));
    }

    private void error(HttpServletResponse response, int status, String sentence, String code) throws IOException {
        error(response, status, sentence, code, null);
    }

    private void error(HttpServletResponse response, int status, String sentence, String code, @Nullable String id)
            throws IOException {
        response.resetBuffer();
        response.setStatus(status);
        json(response, new ErrorAnswer(sentence, code, id));
    }

    /**
     * Public, as JSON-B needs it.
     *
     * @param id of the line in the log that says why; null for a refusal, which has none
     */
    public record ErrorAnswer(
            String error, String code, @Nullable String id) {}
}
