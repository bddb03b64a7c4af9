package dev.cdioutbox.tests.bench.app.handle;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

import jakarta.inject.Inject;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Runs one block of {@link HandlerBlocks} for each request. */
@WebServlet("/bench/handlers/*")
public class HandlerServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient Jsonb json = JsonbBuilder.create();

    @Inject
    private transient HandlerBlocks blocks;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        try {
            response.getWriter().print(json.toJson(run(request)));
        } catch (IOException | ServletException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }

    private Object run(HttpServletRequest request) throws Exception {
        switch (request.getPathInfo()) {
            case "/pause" -> blocks.pause();
            case "/resume" -> blocks.resume();
            case "/fill" -> blocks.fill(number(request, "count"));
            case "/drain" -> {
                return blocks.drain(time(request));
            }
            case "/loop" -> {
                return blocks.loop(time(request), number(request, "threads"));
            }
            case "/outbox" -> {
                return blocks.outbox(time(request), number(request, "threads"));
            }
            case "/gruelbox" -> {
                return blocks.gruelbox(time(request), number(request, "threads"));
            }
            case "/by-hand" -> {
                return blocks.byHand(time(request), number(request, "threads"));
            }
            default -> throw new ServletException("no such block: " + request.getPathInfo());
        }
        return Map.of();
    }

    private static int number(HttpServletRequest request, String name) {
        return Integer.parseInt(request.getParameter(name));
    }

    private static Duration time(HttpServletRequest request) {
        return Duration.ofMillis(number(request, "millis"));
    }
}
