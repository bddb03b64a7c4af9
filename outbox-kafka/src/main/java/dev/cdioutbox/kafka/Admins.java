package dev.cdioutbox.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaFuture;

/**
 * The admin clients of the application: one for each cluster and user. A new one for each question would log its settings
 * each time, and while Kafka is away there is a question at each interval. Thread-safe.
 */
final class Admins {
    /** In the time of Kafka's own clients. All brokers of a cluster may have moved meanwhile. */
    static final Duration FORGOTTEN = Duration.ofMinutes(5);

    private final Map<Map<String, Object>, Kept> all = new HashMap<>();
    private boolean isClosed;

    private static final class Kept {
        private final Admin client;
        private volatile long answered = System.nanoTime();

        Kept(Admin client) {
            this.client = client;
        }
    }

    interface Question<T> {
        KafkaFuture<T> to(Admin admin);
    }

    /**
     * Asks a cluster.
     *
     * @param own the application's settings
     */
    <T> T ask(Map<String, String> own, Question<T> question) throws Exception {
        Map<String, Object> settings = ClientSettings.ofAdmin(own);
        Kept kept = get(settings);
        try {
            T answer = question.to(kept.client).get();
            kept.answered = System.nanoTime();
            return answer;
        } catch (ExecutionException e) {
            if (System.nanoTime() - kept.answered > FORGOTTEN.toNanos()) {
                forget(settings, kept);
            }
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private synchronized Kept get(Map<String, Object> settings) {
        if (isClosed) {
            throw new IllegalStateException("the application has stopped");
        }
        return all.computeIfAbsent(
                settings, missing -> ClientSettings.inApplication(() -> new Kept(Admin.create(settings))));
    }

    private synchronized void forget(Map<String, Object> settings, Kept kept) {
        if (all.remove(settings, kept)) {
            close(kept);
        }
    }

    private static void close(Kept kept) {
        ClientSettings.inApplication(() -> {
            kept.client.close(Duration.ZERO);
            return null;
        });
    }

    synchronized void close() {
        isClosed = true;
        all.values().forEach(Admins::close);
        all.clear();
    }
}
