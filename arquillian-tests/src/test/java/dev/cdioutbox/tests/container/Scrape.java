package dev.cdioutbox.tests.container;

import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.TreeMap;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;

/** Requests metrics and health of this server, as a monitoring system does. */
final class Scrape {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final int port;

    Scrape(int port) {
        this.port = port;
    }

    /** The outbox's series with their labels. Throws if the server exposes a series twice. */
    Map<String, Double> metrics() {
        Map<String, Double> series = new TreeMap<>();
        get("/metrics?scope=application")
                .lines()
                .filter(line -> line.startsWith("outbox_"))
                .forEach(line -> {
                    int end = line.lastIndexOf(' ');
                    if (series.put(line.substring(0, end), Double.valueOf(line.substring(end + 1))) != null) {
                        throw new IllegalStateException("twice: " + line);
                    }
                });
        return series;
    }

    /** The sum of all series with this name whose labels contain the text; an empty text matches all. */
    double sum(String name, String label) {
        return metrics().entrySet().stream()
                .filter(series -> series.getKey().startsWith(name + "{")
                        && series.getKey().contains(label))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    boolean isUp(String kind, String check) {
        return check(kind, check).getString("status").equals("UP");
    }

    JsonObject check(String kind, String name) {
        try (JsonReader reader = Json.createReader(new StringReader(get("/health/" + kind)))) {
            return reader.readObject().getJsonArray("checks").getValuesAs(JsonObject.class).stream()
                    .filter(check -> check.getString("name").equals(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private String get(String path) {
        try {
            return CLIENT.send(
                            HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
