package dev.cdioutbox.tests.bench.app;

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

/** Runs one block for each request, and answers with what it counted, as JSON. */
@WebServlet("/bench/*")
public class BenchServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient Jsonb json = JsonbBuilder.create();

    @Inject
    private transient Business business;

    @Inject
    private transient Load load;

    @Inject
    private transient Backlog backlog;

    @Inject
    private transient Receipts receipts;

    @Inject
    private transient Latencies latencies;

    @Inject
    private transient Gruelbox gruelbox;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        try {
            response.getWriter().print(json.toJson(run(new Parameters(request))));
        } catch (IOException | ServletException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }

    private Object run(Parameters given) throws Exception {
        return switch (given.request().getPathInfo()) {
            case "/ready" -> Map.of();
            case "/business" ->
                load.repeat(given.time(), given.number("threads"), () -> {
                    business.order(given.way(), given.number("events"));
                    return 1;
                });
            case "/business-until-published" ->
                backlog.publishing(() -> load.repeat(given.time(), given.number("threads"), () -> {
                    business.order(Way.OUTBOX, 1);
                    return 1;
                }));
            case "/arrive" ->
                load.repeatAtRate(
                        given.time(),
                        given.number("threads"),
                        given.number("rate"),
                        (number, late) -> business.order(Way.OUTBOX, 1));
            case "/published" -> Map.of("count", backlog.published());
            case "/await-published" -> Map.of("count", backlog.awaitPublished(given.number("count")));
            case "/drain-all" -> backlog.drainAll(given.number("waiting"));
            case "/fire" -> backlog.fire(given.number("count"));
            case "/pause" -> {
                backlog.pause();
                yield Map.of();
            }
            case "/resume" -> {
                backlog.resume();
                yield Map.of();
            }
            case "/drain" -> backlog.drain(given.time());
            case "/send" -> backlog.send(given.time());
            case "/poll" -> backlog.poll(given.time(), Boolean.parseBoolean(given.text("together")));
            case "/gruelbox-fill" -> gruelbox.fill(given.number("wanted"));
            case "/gruelbox-drain" -> gruelbox.drain(given.time());
            case "/empty" ->
                receipts.empty(
                        given.text("queue"), given.number("most"), given.number("wanted"), given.number("patience"));
            case "/latency" -> latencies.run(given.way(), given.number("rate"), given.number("threads"), given.time());
            default ->
                throw new ServletException("no such block: " + given.request().getPathInfo());
        };
    }

    /** The parameters of a request. */
    private record Parameters(HttpServletRequest request) {
        String text(String name) {
            return request.getParameter(name);
        }

        int number(String name) {
            return Integer.parseInt(text(name));
        }

        Duration time() {
            return Duration.ofMillis(number("millis"));
        }

        Way way() {
            return Way.valueOf(text("way"));
        }
    }
}
