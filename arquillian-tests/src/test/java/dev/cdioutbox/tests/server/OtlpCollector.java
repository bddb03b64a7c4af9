package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/** Receives spans and metrics like an OpenTelemetry collector: OTLP over HTTP, in protobuf. */
public final class OtlpCollector implements AutoCloseable {
    private final HttpServer server;
    private final List<ReceivedSpan> spans = new CopyOnWriteArrayList<>();
    private final List<String> twice = new CopyOnWriteArrayList<>();
    private volatile Map<String, Double> metrics = Map.of();

    public OtlpCollector() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/v1/traces", exchange -> receive(exchange, this::takeSpans));
        server.createContext("/v1/metrics", exchange -> receive(exchange, this::takeMetrics));
        server.start();
    }

    public String url() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    /** Returns the received spans of a trace. */
    public List<ReceivedSpan> of(String traceId) {
        return spans.stream().filter(span -> span.traceId().equals(traceId)).toList();
    }

    /** The outbox's series in the last export, as Prometheus names them, with their values. */
    public Map<String, Double> metrics() {
        return metrics;
    }

    /** The series that an export had twice. */
    public List<String> twice() {
        return twice;
    }

    private static void receive(HttpExchange exchange, Consumer<Protobuf> taker) throws IOException {
        boolean isZipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
        try (exchange;
                InputStream body =
                        isZipped ? new GZIPInputStream(exchange.getRequestBody()) : exchange.getRequestBody()) {
            taker.accept(new Protobuf(body.readAllBytes()));
            exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
            exchange.sendResponseHeaders(200, -1);
        }
    }

    private void takeSpans(Protobuf request) {
        for (Protobuf resource : request.messages(1)) {
            for (Protobuf scope : resource.messages(2)) {
                scope.messages(2).forEach(span -> spans.add(ReceivedSpan.of(span)));
            }
        }
    }

    private void takeMetrics(Protobuf request) {
        Map<String, Double> received = new TreeMap<>();
        for (Protobuf resource : request.messages(1)) {
            for (Protobuf scope : resource.messages(2)) {
                if (scope.messages(1).stream().anyMatch(name -> name.text(1).equals("dev.cdioutbox"))) {
                    scope.messages(2)
                            .forEach(metric -> ReceivedMetric.of(metric).forEach((series, value) -> {
                                if (received.put(series, value) != null) {
                                    twice.add(series);
                                }
                            }));
                }
            }
        }
        metrics = received;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
