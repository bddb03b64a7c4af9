package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/** Receives spans like an OpenTelemetry collector: OTLP over HTTP, in protobuf. */
public final class SpanCollector implements AutoCloseable {
    private final HttpServer server;
    private final List<ReceivedSpan> spans = new CopyOnWriteArrayList<>();

    public SpanCollector() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/v1/traces", this::take);
        server.start();
    }

    public String url() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    /** Returns the received spans of a trace. */
    public List<ReceivedSpan> of(String traceId) {
        return spans.stream().filter(span -> span.traceId().equals(traceId)).toList();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            Protobuf request = new Protobuf(exchange.getRequestBody().readAllBytes());
            for (Protobuf resource : request.messages(1)) {
                for (Protobuf scope : resource.messages(2)) {
                    scope.messages(2).forEach(span -> spans.add(ReceivedSpan.of(span)));
                }
            }
            exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
            exchange.sendResponseHeaders(200, -1);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
