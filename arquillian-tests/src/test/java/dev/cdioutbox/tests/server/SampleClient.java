package dev.cdioutbox.tests.server;

import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.function.Function;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;

/** Calls the sample's REST interface. */
public final class SampleClient {
    private final Function<String, URI> urls;

    public SampleClient(Function<String, URI> urls) {
        this.urls = urls;
    }

    /** Places an order and returns its id. */
    public String placeOrder() {
        HttpResponse<String> answer = post("/api/orders", order("Ada", "Tea", "2"));
        if (answer.statusCode() != 201) {
            throw new IllegalStateException("order not placed: " + answer.statusCode() + " " + answer.body());
        }
        return Http.json(answer).asJsonObject().getString("id");
    }

    public HttpResponse<String> post(String path, String json) {
        return Http.post(urls.apply(path), json);
    }

    public HttpResponse<String> get(String path) {
        return Http.get(urls.apply(path));
    }

    public List<JsonObject> orders() {
        return array("/api/orders");
    }

    public List<JsonObject> messages(String order) {
        return array("/api/messages?order=" + order);
    }

    public List<JsonObject> deliveries(String order) {
        return array("/api/deliveries?order=" + order);
    }

    /** Returns the latest deliveries of all orders. */
    public List<JsonObject> deliveries() {
        return array("/api/deliveries");
    }

    /** Returns the first page of the messages that the consumer could not handle. */
    public List<JsonObject> putAside() {
        return array("/api/put-aside");
    }

    public List<JsonObject> putAside(int offset, int limit) {
        return array("/api/put-aside?offset=%d&limit=%d".formatted(offset, limit));
    }

    /** Returns the value of the first series of this name whose labels contain all these words, or null. */
    public Double metric(String name, String... words) {
        return get("/metrics?scope=application")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + "{"))
                .filter(line -> List.of(words).stream().allMatch(line::contains))
                .map(line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst()
                .orElse(null);
    }

    public static String order(String customer, String item, String quantity) {
        return "{\"customer\":\"%s\",\"item\":\"%s\",\"quantity\":%s}".formatted(customer, item, quantity);
    }

    private List<JsonObject> array(String path) {
        JsonArray array = Http.json(get(path)).asJsonArray();
        return array.getValuesAs(JsonObject.class);
    }
}
