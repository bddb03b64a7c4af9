package dev.cdioutbox.internal.operate.console;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.Logger;

import jakarta.enterprise.inject.spi.CDI;
import jakarta.json.Json;
import jakarta.json.JsonValue;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.problem.Problem;

/** The console: files of the page, and the JSON it asks for. Only GET looks, only POST changes. */
public final class ConsoleServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private static final Logger LOG = Logger.getLogger(ConsoleServlet.class.getName());
    private static final String API = "/api/";
    /** What a request's body may have; a filter is far smaller. */
    private static final int LARGEST_BODY = 65_536;

    private final transient RoleCheck roleCheck = new RoleCheck();
    private final transient PageFiles files = new PageFiles();

    /** Not one for all: what it needs is there only in a request. */
    private static ConsoleApi api() {
        return CDI.current().select(ConsoleApi.class).get();
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        roleCheck.protect(response);
        try {
            if (roleCheck.admits(request, response)) {
                answer(request, response);
            }
        } catch (RequestRefusedException refusal) {
            error(response, refusal.status(), refusal.getMessage(), null);
        } catch (OutboxException known) {
            LOG.warning(Problem.CONSOLE_FAILED.text(request.getMethod(), request.getPathInfo(), Problem.reason(known)));
            error(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, sentence(known), known.code());
        } catch (RuntimeException unknown) {
            // The asker learns no more than that; the reason may name what is none of his business.
            LOG.warning(
                    Problem.CONSOLE_FAILED.text(request.getMethod(), request.getPathInfo(), Problem.reason(unknown)));
            error(
                    response,
                    HttpServletResponse.SC_INTERNAL_SERVER_ERROR,
                    "This failed.",
                    Problem.CONSOLE_FAILED.code());
        }
    }

    /** What an operator has to know at once: that it is not the console. */
    private static String sentence(OutboxException known) {
        return known.code().equals(Problem.DATABASE_FAILED.code())
                ? "The database refused, or did not answer."
                : "This failed.";
    }

    private void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String path = request.getPathInfo();
        switch (request.getMethod()) {
            case "GET", "HEAD" -> {
                if (path == null) {
                    response.sendRedirect(request.getContextPath() + request.getServletPath() + "/");
                } else if (path.startsWith(API)) {
                    json(response, read(path.substring(API.length()), request, response));
                } else {
                    files.send(path, response);
                }
            }
            case "POST" -> {
                CsrfToken.check(request);
                if (path == null || !path.startsWith(API)) {
                    throw RequestRefusedException.notFound();
                }
                json(response, api().change(path.substring(API.length()), RequestBody.of(request, LARGEST_BODY)));
            }
            default ->
                throw new RequestRefusedException(
                        HttpServletResponse.SC_METHOD_NOT_ALLOWED, "GET looks and POST changes.");
        }
    }

    private static JsonValue read(String what, HttpServletRequest request, HttpServletResponse response) {
        if (what.equals("session")) {
            return Json.createObjectBuilder()
                    .add("user", request.getUserPrincipal().getName())
                    .add("csrf", CsrfToken.of(request, response))
                    .build();
        }
        return api().read(what, RequestQuery.of(request.getParameterMap()));
    }

    private static void json(HttpServletResponse response, JsonValue json) throws IOException {
        response.setContentType("application/json");
        response.getOutputStream().write(json.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void error(HttpServletResponse response, int status, String sentence, String code)
            throws IOException {
        response.resetBuffer();
        response.setStatus(status);
        json(
                response,
                Json.createObjectBuilder()
                        .add("error", sentence)
                        .add("code", code == null ? JsonValue.NULL : Json.createValue(code))
                        .build());
    }
}
