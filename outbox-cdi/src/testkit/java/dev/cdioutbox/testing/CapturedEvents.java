package dev.cdioutbox.testing;

import java.lang.annotation.Annotation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import jakarta.enterprise.event.Event;
import jakarta.enterprise.inject.spi.Extension;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.capture.OutboxExtension;
import dev.cdioutbox.internal.capture.event.EventTypes;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.handle.HandlerExtension;
import dev.cdioutbox.internal.handle.UnitTestHandlers;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.UuidV7;

/**
 * Records the outbox events that a unit test fires, without a server, a database and a transaction. The kit checks each
 * event as on a server: its type, its key, its size, and, with an implementation of JSON-B such as Yasson on the class
 * path, its serialization. The API's jar alone is not enough.
 *
 * <pre>{@code
 * CapturedEvents captured = CapturedEvents.create();
 * Orders service = new Orders(captured.event(OrderPlaced.class));
 *
 * captured.during(() -> service.place("7", "Ada"))
 *         .assertExactly(ExpectedEvent.eventOf(OrderPlaced.class).withKey("7"));
 * }</pre>
 *
 * <p>With a CDI container for tests (Weld), inject it: {@code @Inject CapturedEvents outbox}. Without one, call
 * {@link #create}, and give the class under test an {@link #event}.
 *
 * <p>Without a transaction, an event counts as captured at {@code fire()}, even if a rollback would follow. With a
 * naming service, as on a server, the real outbox captures, and {@code all} and {@code during} fail.
 *
 * <p>Thread-safe. Each concurrent test needs its own instance.
 */
public final class CapturedEvents {
    private static final AtomicLong SEQUENCE = new AtomicLong();

    private final List<CapturedEvent> events = new ArrayList<>();
    private volatile boolean recording;
    /** Null without a container. */
    private volatile UnitTestHandlers handlers;

    CapturedEvents() {}

    /**
     * Creates a recorder for a test without a CDI container.
     *
     * @return a recorder without events; never null
     */
    public static CapturedEvents create() {
        CapturedEvents created = new CapturedEvents();
        created.begin();
        return created;
    }

    /**
     * The CDI extensions of the outbox and of this kit, for a container that does not discover them. A container with
     * discovery finds both by itself.
     *
     * @return new extensions; never null
     */
    public static Extension[] extensions() {
        return new Extension[] {new OutboxExtension(), new HandlerExtension(), new TestingExtension()};
    }

    /**
     * Creates an {@code Event} for a class under test without injection. This object records the fired events, which
     * reach no observer.
     *
     * @param <T> the class of the events
     * @param type the class of the events; not null
     * @param qualifiers the qualifiers of the injection point, for example {@code OutboxEvent.Literal.of("OrderPlaced")}
     * @return the event; never null
     */
    public <T> Event<T> event(Class<T> type, Annotation... qualifiers) {
        Objects.requireNonNull(type, "type");
        return new RecordedEvent<>(new EventTypes(), RecordedCapture.withoutContainer(this), Set.of(qualifiers));
    }

    /**
     * Makes a call and shows the events that it captures.
     *
     * @param <R> the type of the call's result
     * @param <X> the type of the call's exception
     * @param call usually a method of the class under test; not null
     * @return the events, with the result of the call; never null
     * @throws X the exception of the call
     */
    public <R, X extends Exception> Captured<R> during(Call<R, X> call) throws X {
        int before = all().size();
        R result = call.make();
        List<CapturedEvent> after = all();
        return new Captured<>(result, after.subList(before, after.size()));
    }

    /**
     * Makes a call without a result and shows the events that it captures.
     *
     * @param <X> the type of the call's exception
     * @param call usually a method of the class under test; not null
     * @return the events; never null
     * @throws X the exception of the call
     */
    public <X extends Exception> Captured<Void> during(VoidCall<X> call) throws X {
        return during(() -> {
            call.make();
            return null;
        });
    }

    /**
     * All events recorded so far, in the order of the {@code fire()} calls.
     *
     * @return a copy; never null
     * @throws IllegalStateException on a server, where the real outbox captures
     */
    public List<CapturedEvent> all() {
        if (!recording) {
            throw new IllegalStateException(
                    "The events of this test are not recorded: JTA transactions are there, so the"
                            + " outbox stores them. Read them with OutboxOperations, or take JTA out of this test.");
        }
        synchronized (events) {
            return List.copyOf(events);
        }
    }

    /**
     * Calls each handler of the application ({@link dev.cdioutbox.OutboxHandler}) that an event has, as the outbox does after the
     * commit: with what it reads from the payload, and with the event as the cause of what the handler fires, which is recorded. There is
     * no transaction. This needs a CDI container with the beans of the handlers; without one, call their methods.
     *
     * @param event the event, of {@link #all} or {@link #during}; not null
     * @return the names of the handlers that were called, in alphabetical order; empty if the event has none; never null
     * @throws IllegalStateException without a CDI container
     * @throws Exception that of a handler, after which no other one is called; or a {@link dev.cdioutbox.spi.PublishException}
     *     (OBX-0460) if a handler cannot read the payload
     */
    public List<String> handle(CapturedEvent event) throws Exception {
        if (handlers == null) {
            throw new IllegalStateException(
                    "Handlers are called in a CDI container only. Call the method of the handler.");
        }
        String outbox = event instanceof Recorded recorded ? recorded.outbox() : OutboxConfig.DEFAULT_OUTBOX;
        List<String> called = new ArrayList<>();
        for (String destination : event.destinations()) {
            if (handlers.handle(outbox, message(event, destination))) {
                called.add(destination);
            }
        }
        return called;
    }

    private static OutboxMessage message(CapturedEvent event, String destination) {
        Instant now = Instant.now();
        return new StoredMessage(
                SEQUENCE.incrementAndGet(),
                UuidV7.next(now.toEpochMilli()),
                event.description(),
                event.body(),
                event.context(),
                StoredMessage.Terms.NONE,
                new StoredMessage.Delivery(destination, OutboxStatus.PENDING, 0, null, null, null, null, null),
                now,
                now);
    }

    void handleWith(UnitTestHandlers ofTheContainer) {
        handlers = ofTheContainer;
    }

    void begin() {
        recording = true;
    }

    /** @param messages one for each destination that the event class names, or one for the default destination */
    void record(Object event, String outbox, List<NewMessage> messages) {
        NewMessage first = messages.get(0);
        List<String> destinations =
                messages.stream().map(NewMessage::destination).toList();
        synchronized (events) {
            events.add(new Recorded(event, outbox, first.event(), first.body(), first.context(), destinations));
        }
    }

    private record Recorded(
            Object event,
            String outbox,
            OutboxMessage.Event description,
            OutboxMessage.Body body,
            OutboxMessage.Context context,
            List<String> destinations)
            implements CapturedEvent {

        @Override
        public String toString() {
            return event + " with key " + key();
        }
    }

    /**
     * A call with a result.
     *
     * @param <R> the type of the result
     * @param <X> the type of the exception
     */
    @FunctionalInterface
    public interface Call<R, X extends Exception> {

        /**
         * Makes the call.
         *
         * @return the result
         * @throws X the exception of the call
         */
        R make() throws X;
    }

    /**
     * A call without a result.
     *
     * @param <X> the type of the exception
     */
    @FunctionalInterface
    public interface VoidCall<X extends Exception> {

        /**
         * Makes the call.
         *
         * @throws X the exception of the call
         */
        void make() throws X;
    }
}
