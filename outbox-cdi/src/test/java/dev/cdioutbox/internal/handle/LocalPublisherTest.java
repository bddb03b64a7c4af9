package dev.cdioutbox.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import jakarta.annotation.PreDestroy;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.context.control.RequestContextController;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.Status;

import dev.cdioutbox.HandlerException;
import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.ReceivedEvent;
import dev.cdioutbox.internal.capture.FakeRegistry;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.transport.CausingMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Guards what a handler gets, and what becomes of what it throws. */
class LocalPublisherTest {
    private static final List<Object> SEEN = new ArrayList<>();
    private static Action action = () -> {};

    private final FakeRegistry transactions = new FakeRegistry();
    private final WeldContainer container = new Weld()
            .disableDiscovery()
            .extensions(new HandlerExtension())
            .addBeanClasses(Shipping.class, Tenant.class, OfACall.class, Noting.class)
            .initialize();
    private final LocalPublisher publisher = publisher();

    interface Action {
        void run() throws Exception;
    }

    @OutboxEvent(version = 2)
    public record Placed(String id) {}

    @RequestScoped
    public static class Tenant {
        private String name = "nobody";

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Noted {}

    @Noted
    @Interceptor
    @Priority(1)
    public static class Noting {
        @AroundInvoke
        Object note(InvocationContext call) throws Exception {
            SEEN.add("intercepted");
            return call.proceed();
        }
    }

    @ApplicationScoped
    public static class Shipping {
        @Inject
        Tenant tenant;

        @OutboxHandler("shipping")
        void ship(Placed placed, OutboxMessage message) throws Exception {
            SEEN.add(placed);
            SEEN.add(message.id());
            SEEN.add(CausingMessage.current());
            action.run();
        }

        @OutboxHandler(value = "all", types = "*")
        void all(ReceivedEvent event) {
            SEEN.add(event.type()
                    + event.version()
                    + event.key()
                    + event.sequence().getAsLong()
                    + event.text());
        }

        @OutboxHandler("tenant")
        @Noted
        void tenant(Placed placed) {
            SEEN.add(tenant.getName());
            tenant.setName(placed.id());
        }
    }

    @Dependent
    public static class OfACall {
        @OutboxHandler("dependent")
        void handle(Placed placed) {
            SEEN.add("called");
        }

        @PreDestroy
        void destroy() {
            SEEN.add("destroyed");
        }
    }

    private LocalPublisher publisher() {
        BeanManager manager = container.getBeanManager();
        HandlerExtension extension = manager.getExtension(HandlerExtension.class);
        return new LocalPublisher(
                extension.handlers(), extension.call(manager, new UnitTestHandlers.NoTraces()), transactions);
    }

    @AfterEach
    void close() {
        container.close();
        SEEN.clear();
        action = () -> {};
    }

    @Test
    void handlerGetsTheEventAndTheMessageWhichIsTheCauseOfWhatItFires() throws Exception {
        OutboxMessage message = message("{\"id\":\"7\"}", 2);

        assertThat(handle("shipping", message)).isNull();

        assertThat(SEEN)
                .containsExactly(
                        new Placed("7"),
                        message.id(),
                        new CausingMessage(message.id().toString(), "correlation", "tenant", "trace", null, 5));
        assertThat(CausingMessage.current()).isNull();
    }

    @Test
    void receivedEventIsThatOfTheMessage() throws Exception {
        assertThat(handle("all", message("{}", 3))).isNull();

        assertThat(SEEN).containsExactly("Placed3key9{}");
    }

    @Test
    void callIsInterceptedAndHasItsOwnRequest() throws Exception {
        handle("tenant", message("{\"id\":\"one\"}", 2));
        handle("tenant", message("{\"id\":\"two\"}", 2));

        assertThat(SEEN).containsExactly("intercepted", "nobody", "intercepted", "nobody");
    }

    @Test
    void callHasItsOwnRequestOnAThreadThatHasOne() throws Exception {
        RequestContextController request =
                container.select(RequestContextController.class).get();
        request.activate();
        try {
            handle("tenant", message("{\"id\":\"one\"}", 2));
            handle("tenant", message("{\"id\":\"two\"}", 2));
        } finally {
            request.deactivate();
        }

        assertThat(SEEN).containsExactly("intercepted", "nobody", "intercepted", "nobody");
    }

    @Test
    void dependentBeanEndsWithTheCall() throws Exception {
        handle("dependent", message("{}", 2));

        assertThat(SEEN).containsExactly("called", "destroyed");
    }

    @Test
    void failureIsTriedAgainAndNamesTheHandler() throws Exception {
        action = () -> {
            throw new IllegalStateException("no lorry");
        };

        PublishException failure = handle("shipping", message("{}", 2));

        assertThat(failure.blame()).isEqualTo(Blame.UNKNOWN);
        assertThat(failure.retryAfter()).isNull();
        assertThat(FailureReason.of(failure))
                .isEqualTo("OBX-0461: the handler " + Shipping.class.getName() + ".ship failed: no lorry");
    }

    @Test
    void handlerMayWishForAnotherTimeOrForNoOther() throws Exception {
        action = () -> {
            throw new IllegalStateException(HandlerException.retryAfter(Duration.ofHours(1), "closed", null));
        };
        PublishException later = handle("shipping", message("{}", 2));
        action = () -> {
            throw HandlerException.doNotRetry("never", new IllegalStateException("root"));
        };
        PublishException never = handle("shipping", message("{}", 2));

        assertThat(later.blame()).isEqualTo(Blame.UNKNOWN);
        assertThat(later.retryAfter()).isEqualTo(Duration.ofHours(1));
        assertThat(never.blame()).isEqualTo(Blame.MESSAGE);
        assertThat(FailureReason.of(never)).endsWith("failed: never: root");
    }

    @Test
    void payloadThatCannotBeReadIsSetAside() throws Exception {
        PublishException failure = handle("shipping", message("no json", 2));

        assertThat(failure.blame()).isEqualTo(Blame.MESSAGE);
        assertThat(failure.getMessage()).startsWith("OBX-0460: the handler " + Shipping.class.getName());
        assertThat(SEEN).isEmpty();
    }

    /** During an update, a newer node may handle it. JSON-B would make an object of each of them. */
    @Test
    void messageOfAnotherTypeOrVersionIsNotHandledAndTriedAgain() throws Exception {
        for (OutboxMessage message : List.of(message("{}", 1), message("Cancelled", "{}", 2))) {
            PublishException failure = handle("shipping", message);

            assertThat(failure.blame()).isEqualTo(Blame.UNKNOWN);
            assertThat(failure.getMessage()).startsWith("OBX-0460: the handler " + Shipping.class.getName());
        }
        assertThat(SEEN).isEmpty();
    }

    @Test
    void messageIsTheCauseUntilTheEndOfTheTransaction() throws Exception {
        OutboxMessage message = message("{}", 2);

        handle("shipping", message);

        assertThat(transactions.getResource(CausingMessage.class)).isEqualTo(CausingMessage.of(message));
    }

    @Test
    void handlerThatMarksItsTransactionForRollbackHasFailed() throws Exception {
        action = transactions::setRollbackOnly;

        assertThat(handle("shipping", message("{}", 2)).getMessage()).startsWith("OBX-0462");
    }

    @Test
    void handlerThatEndsTheTransactionHasFailed() throws Exception {
        action = () -> {
            transactions.end(Status.STATUS_COMMITTED);
            throw new IllegalStateException("and fails");
        };

        PublishException failure = handle("shipping", message("{}", 2));

        assertThat(failure.getMessage()).startsWith("OBX-0463");
        assertThat(failure.blame()).as("another call would do the work again").isEqualTo(Blame.MESSAGE);
    }

    @Test
    void destinationWithoutAHandlerIsToBlame() {
        assertThatThrownBy(() -> publisher.open(DestinationId.ofDefaultOutbox("absent")))
                .isInstanceOf(PublishException.class)
                .hasMessageStartingWith("OBX-0464")
                .extracting("blame")
                .isEqualTo(Blame.DESTINATION);
    }

    /** The failure of the message, or null. */
    private PublishException handle(String handler, OutboxMessage message) throws PublishException {
        try (Sender sender = publisher.open(DestinationId.ofDefaultOutbox(handler))) {
            sender.send(message);
            return sender.complete().get(message);
        }
    }

    private static OutboxMessage message(String text, int version) {
        return message("Placed", text, version);
    }

    private static OutboxMessage message(String type, String text, int version) {
        return new StoredMessage(
                9,
                UUID.randomUUID(),
                new StoredMessage.Event(type, version, null, "key"),
                new StoredMessage.Body("application/json", OutboxPayload.text(text)),
                new StoredMessage.Context(
                        "correlation", null, "tenant", Map.of("traceparent", "trace", "generation", "5")),
                StoredMessage.Terms.NONE,
                new StoredMessage.Delivery("shipping", OutboxStatus.PENDING, 0, null, null, null, null, null),
                Instant.EPOCH,
                Instant.EPOCH);
    }
}
