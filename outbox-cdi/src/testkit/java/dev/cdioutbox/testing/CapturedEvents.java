package dev.cdioutbox.testing;

import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import jakarta.enterprise.event.Event;
import jakarta.enterprise.inject.spi.Extension;

import dev.cdioutbox.internal.capture.EventRecorder;
import dev.cdioutbox.internal.capture.OutboxExtension;
import dev.cdioutbox.internal.capture.RecordedCapture;
import dev.cdioutbox.internal.store.NewMessage;

/**
 * Records the outbox events that a unit test fires: without a server, a database and a transaction. Each event is checked
 * as on a server: its type, its key, its size, and with JSON-B on the class path that it can be serialized.
 *
 * <p>With a CDI container for tests (Weld), inject it: {@code @Inject CapturedEvents outbox}. Without one, make it with
 * {@link #create} and give the class under test an {@link #event}.
 *
 * <p>There is no transaction here: an event counts as captured when it is fired, also if a rollback would follow. Where a
 * naming service is, as on a server, the real outbox captures, and {@code all} and {@code during} fail.
 *
 * <p>Safe for use by several threads. Tests that run at the same time need one each.
 */
public final class CapturedEvents {
    private final List<CapturedEvent> events = new ArrayList<>();
    private final Recorder recorder = new Recorder();
    private volatile boolean recording;

    CapturedEvents() {}

    /**
     * A recorder for a test without a CDI container.
     *
     * @return a recorder without events; never null
     */
    public static CapturedEvents create() {
        CapturedEvents created = new CapturedEvents();
        created.recorder.begin();
        return created;
    }

    /**
     * The CDI extensions of the outbox and of this kit, for a container that does not discover them. With discovery, a
     * container finds both by itself.
     *
     * @return new extensions; never null
     */
    public static Extension[] extensions() {
        return new Extension[] {new OutboxExtension(), new TestingExtension()};
    }

    /**
     * An {@code Event} for a class under test that no container injects. What it fires is recorded here, and reaches no
     * observer.
     *
     * @param <T> the class of the events
     * @param type the class of the events; not null
     * @param qualifiers those of the injection point, for example {@code Outbox.Literal.of("OrderPlaced")}
     * @return the event; never null
     */
    public <T> Event<T> event(Class<T> type, Annotation... qualifiers) {
        Objects.requireNonNull(type, "type");
        return new RecordedEvent<>(RecordedCapture.withoutContainer(recorder), Set.of(qualifiers));
    }

    /**
     * Makes a call and shows the events that it captures.
     *
     * @param <R> what the call returns
     * @param <X> what the call throws
     * @param call usually a method of the class under test; not null
     * @return the events, and what the call returned; never null
     * @throws X what the call throws
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
     * @param <X> what the call throws
     * @param call usually a method of the class under test; not null
     * @return the events; never null
     * @throws X what the call throws
     */
    public <X extends Exception> Captured<Void> during(VoidCall<X> call) throws X {
        return during(() -> {
            call.make();
            return null;
        });
    }

    /**
     * All events that were recorded so far, in the order in which they were fired.
     *
     * @return a copy; never null
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

    EventRecorder recorder() {
        return recorder;
    }

    /**
     * A call with a result.
     *
     * @param <R> what it returns
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface Call<R, X extends Exception> {

        /**
         * Makes the call.
         *
         * @return the result
         * @throws X what the call throws
         */
        R make() throws X;
    }

    /**
     * A call without a result.
     *
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface VoidCall<X extends Exception> {

        /**
         * Makes the call.
         *
         * @throws X what the call throws
         */
        void make() throws X;
    }

    private final class Recorder implements EventRecorder {
        @Override
        public void begin() {
            recording = true;
        }

        @Override
        public void record(Object event, List<NewMessage> messages) {
            NewMessage first = messages.get(0);
            List<String> destinations =
                    messages.stream().map(NewMessage::destination).toList();
            synchronized (events) {
                events.add(new CapturedEvent(event, first.event(), first.body(), first.context(), destinations));
            }
        }
    }
}
