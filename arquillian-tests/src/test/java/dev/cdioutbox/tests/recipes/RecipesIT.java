package dev.cdioutbox.tests.recipes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;
import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

import com.sun.net.httpserver.HttpServer;
import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.OutboxKey;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxMetadata;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.Http;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The recipes of docs/recipes.md that need transactions. */
@ExtendWith(ArquillianExtension.class)
class RecipesIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int COPIES = 8;

    private static final String PERSISTENCE = """
            <persistence xmlns="https://jakarta.ee/xml/ns/persistence" version="3.0">
              <persistence-unit name="recipes">
                <class>dev.cdioutbox.tests.recipes.HandledRequest</class>
                <properties>
                  <property name="jakarta.persistence.schema-generation.database.action" value="drop-and-create"/>
                </properties>
              </persistence-unit>
            </persistence>""";

    @Inject
    Event<OrderPlaced> placed;

    @Inject
    Event<ReminderDue> due;

    @Inject
    Reminders reminders;

    @Inject
    UserTransaction transaction;

    @Inject
    OutboxOperations outbox;

    private final String order = UUID.randomUUID().toString();

    /** The status of the answer to the first call for an order. Any other call gets 200. */
    private final Map<String, Integer> answers = new ConcurrentHashMap<>();

    private final Map<String, Queue<String>> idempotencyKeys = new ConcurrentHashMap<>();
    private HttpServer receiver;

    @Deployment
    static WebArchive tests() {
        return Deployments.withoutOutboxJms(Deployments.named(
                        "recipes.war",
                        "outbox.table-prefix=recipes_",
                        "outbox.routes.*=local",
                        "outbox.destinations.absent.dispatcher.enabled=false",
                        "outbox.retry.base-delay=PT0.1S"))
                .addClasses(
                        HandledRequest.class,
                        Http.class,
                        OrderPlaced.class,
                        OrderResource.class,
                        Receivers.class,
                        RecipesIT.class,
                        Reminders.class,
                        Webhook.class)
                .addAsResource(new StringAsset(PERSISTENCE), "META-INF/persistence.xml");
    }

    @ApplicationPath("/api")
    public static class Resources extends Application {}

    @OutboxEvent
    public record ReminderDue(@OutboxKey String orderId, Instant at) {}

    /** Delays the reminders, and is whom they go to. */
    @ApplicationScoped
    public static class ReminderMail implements OutboxEnricher {
        @Override
        public void enrich(Object event, OutboxMetadata metadata) {
            if (event instanceof ReminderDue reminder) {
                metadata.deliverNotBefore(reminder.at());
            }
        }

        @OutboxHandler("reminder-mail")
        void send(ReminderDue reminder) {
            throw new IllegalStateException("a reminder of this test is never due");
        }
    }

    /** Another server, to which the webhook goes. */
    @BeforeEach
    void listen() throws Exception {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", request -> {
            String id = Http.json(new String(request.getRequestBody().readAllBytes(), UTF_8))
                    .asJsonObject()
                    .getString("orderId");
            idempotencyKeys
                    .computeIfAbsent(id, first -> new ConcurrentLinkedQueue<>())
                    .add(request.getRequestHeaders().getFirst("Idempotency-Key"));
            Integer answer = answers.remove(id);
            request.sendResponseHeaders(answer == null ? 200 : answer, -1);
            request.close();
        });
        receiver.start();
        Receivers.ADDRESS.set(
                URI.create("http://localhost:" + receiver.getAddress().getPort() + "/"));
    }

    @AfterEach
    void stop() {
        receiver.stop(0);
    }

    @Test
    void copiesOfARequestPlaceOneOrder() throws Exception {
        String customer = UUID.randomUUID().toString();
        String key = UUID.randomUUID().toString();
        ExecutorService clients = Executors.newFixedThreadPool(COPIES);
        List<Future<HttpResponse<String>>> copies = new ArrayList<>();
        for (int i = 0; i < COPIES; i++) {
            copies.add(clients.submit(() -> place(customer, key)));
        }
        clients.shutdown();
        List<HttpResponse<String>> responses = new ArrayList<>();
        for (Future<HttpResponse<String>> copy : copies) {
            responses.add(copy.get());
        }
        responses.add(place(customer, key));

        assertThat(responses).last().extracting(HttpResponse::statusCode).isEqualTo(200);
        assertThat(responses.stream()
                        .filter(response -> response.statusCode() == 200)
                        .map(HttpResponse::body)
                        .distinct())
                .hasSize(1);
        assertThat(outbox.find(OutboxFilter.all().withEventType("OrderPlaced")).stream()
                        .filter(message -> message.body().text().contains(customer)))
                .hasSize(1);
    }

    private static HttpResponse<String> place(String customer, String key) {
        URI url = URI.create(
                "http://localhost:" + System.getProperty("http.port") + "/recipes/api/orders?customer=" + customer);
        return Http.send(
                HttpRequest.newBuilder(url).header("Idempotency-Key", key).POST(BodyPublishers.noBody()));
    }

    @Test
    void cancelledReminderIsDiscardedUnlessTheCancellationRollsBack() throws Exception {
        String other = UUID.randomUUID().toString();
        Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
        transaction.begin();
        due.fire(new ReminderDue(order, tomorrow));
        due.fire(new ReminderDue(other, tomorrow));
        transaction.commit();

        reminders.cancel(order);
        transaction.begin();
        reminders.cancel(other);
        transaction.rollback();

        assertThat(status(order)).isEqualTo(OutboxStatus.DISCARDED);
        assertThat(status(other)).isEqualTo(OutboxStatus.PENDING);
    }

    @Test
    void receiverRecognizesARepeatedCallByItsKey() throws Exception {
        answers.put(order, 500);
        OutboxMessage message = fire(order);

        await().atMost(SOON).until(() -> status(order) == OutboxStatus.PUBLISHED);
        assertThat(idempotencyKeys.get(order))
                .containsExactly(message.id().toString(), message.id().toString());
    }

    @Test
    void messageThatTheReceiverRefusesIsNotRepeatedAndABusyReceiverIsAskedLater() throws Exception {
        answers.put(order, 422);
        fire(order);
        await().atMost(SOON).until(() -> status(order) == OutboxStatus.ABANDONED);

        String later = UUID.randomUUID().toString();
        answers.put(later, 429);
        fire(later);
        await().atMost(SOON).until(() -> status(later) == OutboxStatus.FAILED);
    }

    private OutboxMessage fire(String orderId) throws Exception {
        transaction.begin();
        placed.fire(new OrderPlaced(orderId, "Ada"));
        transaction.commit();
        return stored(orderId);
    }

    private OutboxStatus status(String key) {
        return stored(key).delivery().status();
    }

    private OutboxMessage stored(String key) {
        return outbox.find(OutboxFilter.all().withKey(key)).get(0);
    }
}
