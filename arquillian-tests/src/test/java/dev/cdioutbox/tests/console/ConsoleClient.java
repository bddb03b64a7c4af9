package dev.cdioutbox.tests.console;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import jakarta.json.JsonObject;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.SampleServer;

/** Calls the console's API as a user. */
public final class ConsoleClient {
    private final LibertyServer server;
    private final String authorization;

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

    /** The user who may do everything. */
    public static ConsoleClient admin(LibertyServer server) {
        return of(server, SampleServer.ADMIN);
    }

    /** A user of the sample. */
    static ConsoleClient of(LibertyServer server, String user) {
        return of(server, user, SampleServer.PASSWORD);
    }

    public HttpResponse<String> get(String path) {
        return Http.send(request(path).GET());
    }

    JsonObject object(String path) {
        return Http.json(get(path)).asJsonObject();
    }

    /** Sends a change as the page does; the form is a query string. */
    HttpResponse<String> post(String path, String form) {
        return Http.send(form(path, form).header("X-Outbox-Console", "page"));
    }

    /** Sends a change as a form of another site can: with the user's credentials and without the header. */
    HttpResponse<String> postFromElsewhere(String path, String form) {
        return Http.send(form(path, form));
    }

    private HttpRequest.Builder form(String path, String form) {
        return request(path)
                .header("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8")
                .POST(HttpRequest.BodyPublishers.ofString(form));
    }

    /** The header; null for a client without a user. */
    String authorization() {
        return authorization;
    }

    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.url(path));
        return authorization == null ? request : request.header("Authorization", authorization);
    }
}
