package dev.cdioutbox.tests.console;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleServer;

/** The console's API as somebody with a name asks it. */
final class ConsoleClient {
    private final LibertyServer server;
    private final String authorization;
    private String cookie = "";
    private String token = "";

    private ConsoleClient(LibertyServer server, String authorization) {
        this.server = server;
        this.authorization = authorization;
    }

    static ConsoleClient anonymous(LibertyServer server) {
        return new ConsoleClient(server, null);
    }

    static ConsoleClient of(LibertyServer server, String user, String password) {
        return new ConsoleClient(
                server,
                "Basic "
                        + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8)));
    }

    /** Who may do everything, with the token that the page asks for first. */
    static ConsoleClient admin(LibertyServer server) {
        ConsoleClient client = of(server, SampleServer.ADMIN, "try-it");
        HttpResponse<String> session = client.get("/outbox/api/session");
        client.token = Http.json(session).asJsonObject().getString("csrf");
        client.cookie = "outbox-csrf=" + client.token;
        return client;
    }

    HttpResponse<String> get(String path) {
        return Http.send(request(path).GET());
    }

    JsonObject object(String path) {
        return Http.json(get(path)).asJsonObject();
    }

    JsonArray array(String path) {
        return Http.json(get(path)).asJsonArray();
    }

    /** A change with the token, as the page asks for it; headers are names and values by turns. */
    HttpResponse<String> post(String path, String json, String... headers) {
        HttpRequest.Builder request = request(path)
                .header("Content-Type", "application/json")
                .header("X-Outbox-Csrf", token)
                .header("Cookie", cookie);
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return Http.send(request.POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.url(path));
        return authorization == null ? request : request.header("Authorization", authorization);
    }

    String token() {
        return token;
    }
}
