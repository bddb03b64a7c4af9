package dev.cdioutbox.tests.external;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jakarta.json.JsonObject;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.Http.UnreachableException;
import dev.cdioutbox.tests.server.SampleClient;

/**
 * Two customers place orders at one server, cancel them at the other, and record the acknowledged events, even if a
 * server dies.
 */
final class Traffic implements AutoCloseable {
    private static final int CUSTOMERS = 2;

    private final List<String> acknowledged = new CopyOnWriteArrayList<>();
    private final List<String> refused = new CopyOnWriteArrayList<>();
    private final ExecutorService customers = Executors.newFixedThreadPool(CUSTOMERS);
    private volatile boolean over;

    Traffic(SampleClient a, SampleClient b) {
        for (int i = 0; i < CUSTOMERS; i++) {
            boolean even = i % 2 == 0;
            customers.submit(() -> order(even ? a : b, even ? b : a));
        }
        customers.shutdown();
    }

    /** The key and the type of each event whose transaction a server has acknowledged. */
    List<String> acknowledged() {
        return List.copyOf(acknowledged);
    }

    /** The requests without an acknowledgement. */
    List<String> refused() {
        return List.copyOf(refused);
    }

    private void order(SampleClient one, SampleClient other) {
        while (!over) {
            JsonObject order = post(one, "/api/orders", SampleClient.order("Ada", "Tea", "2"), 201);
            if (order != null) {
                String id = order.getString("id");
                acknowledged.add(id + " OrderPlaced");
                if (post(other, "/api/orders/" + id + "/cancel", "", 200) != null) {
                    acknowledged.add(id + " OrderCancelled");
                }
            }
        }
    }

    /** Returns null without an acknowledgement: the outbox promises nothing for such an event. */
    private JsonObject post(SampleClient sample, String path, String body, int expected) {
        try {
            HttpResponse<String> answer = sample.post(path, body);
            if (answer.statusCode() == expected) {
                return Http.json(answer).asJsonObject();
            }
            refused.add(path + ": " + answer.statusCode() + " " + answer.body());
            return null;
        } catch (UnreachableException dead) {
            refused.add(path + ": " + dead);
            // The server restarts and needs the processor.
            LockSupport.parkNanos(50_000_000);
            return null;
        }
    }

    @Override
    public void close() {
        over = true;
        try {
            if (!customers.awaitTermination(2, TimeUnit.MINUTES)) {
                throw new IllegalStateException("a customer never got an answer");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
