package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

import jakarta.json.Json;
import jakarta.json.JsonReader;
import jakarta.json.JsonStructure;

/** Sends HTTP requests as a client of a server would. */
public final class Http {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(30)).build();

    private Http() {}

    public static HttpResponse<String> get(URI url) {
        return send(HttpRequest.newBuilder(url).GET());
    }

    /** @param patience until the answer */
    public static HttpResponse<String> get(URI url, Duration patience) {
        return send(HttpRequest.newBuilder(url).GET(), patience);
    }

    public static HttpResponse<String> post(URI url, String json) {
        return send(HttpRequest.newBuilder(url)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    public static JsonStructure json(HttpResponse<String> response) {
        return json(response.body());
    }

    public static JsonStructure json(String text) {
        try (JsonReader reader = Json.createReader(new StringReader(text))) {
            return reader.read();
        }
    }

    /** Whether the URL answers with status 200. */
    public static boolean answers(URI url) {
        try {
            return get(url).statusCode() == 200;
        } catch (UnreachableException notYet) {
            return false;
        }
    }

    /** Sends a request of any method. */
    public static HttpResponse<String> send(HttpRequest.Builder request) {
        return send(request, Duration.ofSeconds(90));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request, Duration patience) {
        try {
            return CLIENT.send(request.timeout(patience).build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UnreachableException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnreachableException(e);
        }
    }

    /** The server did not answer. */
    public static final class UnreachableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnreachableException(Throwable cause) {
            super(cause);
        }
    }
}
