package dev.cdioutbox.internal.ejb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.cdioutbox.DestinationFailing;
import dev.cdioutbox.DestinationRecovered;
import dev.cdioutbox.MessageAbandoned;
import dev.cdioutbox.MessagePublished;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.settle.Retry;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * The application's observers see the outbox's events in order, and a failing or hanging observer does not stop
 * dispatch.
 */
class ApplicationNotifierTest {
    private static final DestinationId ORDERS = DestinationId.of("billing", "orders");
    private static final Predicate<Object> ALL = event -> true;

    private final List<Object> seen = new ArrayList<>();
    private final List<Runnable> started = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();

    @AutoClose
    private final LogLines logged = new LogLines(ObserverQueue.class.getName());

    @Test
    void observersAreCalledOnAnotherThreadInTheOrderOfTheEvents() {
        ApplicationNotifier events = events(ALL);

        events.published(ORDERS, List.of(message(1), message(2)), Instant.EPOCH, Duration.ZERO);
        events.charged(ORDERS, message(3), retry(OutboxStatus.FAILED), Instant.EPOCH, new Exception());
        events.charged(ORDERS, message(4), retry(OutboxStatus.ABANDONED), Instant.EPOCH, new Exception());
        events.unreadable(ORDERS, 5, "no headers");

        assertThat(seen).isEmpty();
        assertThat(started).as("one thread, however many events").hasSize(1);
        runStarted();
        assertThat(seen)
                .satisfiesExactly(
                        first -> assertThat(((MessagePublished) first).sequence())
                                .isEqualTo(1),
                        second -> assertThat(((MessagePublished) second).sequence())
                                .isEqualTo(2),
                        abandoned -> assertThat((MessageAbandoned) abandoned)
                                .returns(4L, MessageAbandoned::sequence)
                                .returns(10, MessageAbandoned::attempts)
                                .returns("refused", MessageAbandoned::error),
                        unreadable -> assertThat((MessageAbandoned) unreadable)
                                .returns(null, MessageAbandoned::id)
                                .returns(5L, MessageAbandoned::sequence)
                                .returns("billing/orders", MessageAbandoned::destination)
                                .returns(null, MessageAbandoned::event)
                                .returns(null, MessageAbandoned::context)
                                .returns(0, MessageAbandoned::attempts)
                                .returns("no headers", MessageAbandoned::error));
    }

    @Test
    void messageThatIsSetAsideIsAbandoned() {
        ApplicationNotifier events = events(ALL);
        NewMessage late = TestMessages.message("order-1", "late");

        events.captured(List.of(late));
        events.setAside(ORDERS, late, 6, "it is late");
        runStarted();

        assertThat(seen).singleElement().satisfies(aside -> assertThat((MessageAbandoned) aside)
                .returns(late.id(), MessageAbandoned::id)
                .returns(6L, MessageAbandoned::sequence)
                .returns("billing/orders", MessageAbandoned::destination)
                .returns(late.event(), MessageAbandoned::event)
                .returns(late.context(), MessageAbandoned::context)
                .returns(0, MessageAbandoned::attempts)
                .returns("it is late", MessageAbandoned::error));
    }

    @Test
    void outageIsOneEventAndItsEndAnother() {
        ApplicationNotifier events = events(ALL);

        for (int failures = 1; failures <= 3; failures++) {
            events.runFailed(ORDERS, failures, new IllegalStateException("broker away " + failures));
        }
        events.recovered(ORDERS, 3);
        runStarted();

        assertThat(seen)
                .satisfiesExactly(
                        failing -> assertThat(((DestinationFailing) failing).reason())
                                .contains("broker away 1"),
                        recovered -> assertThat((DestinationRecovered) recovered)
                                .returns("billing/orders", DestinationRecovered::destination)
                                .returns(3, DestinationRecovered::failures));
    }

    /** Of a destination that may be at fault itself. */
    @Test
    void heldMessagesAreOneEventUntilADeliveryOrUntilTheyAreOverdue() {
        ApplicationNotifier events = events(ALL);
        AtomicBoolean overdue = new AtomicBoolean();

        events.held(ORDERS, OutboxCode.DESTINATION_FAILING.finding(ORDERS, "1", "no", "PT1M"), overdue::get);
        events.held(ORDERS, OutboxCode.DESTINATION_FAILING.finding(ORDERS, "2", "no", "PT1M"), overdue::get);
        events.published(ORDERS, List.of(message(1)), Instant.EPOCH, Duration.ZERO);
        events.published(ORDERS, List.of(message(2)), Instant.EPOCH, Duration.ZERO);
        events.held(ORDERS, OutboxCode.DESTINATION_FAILING.finding(ORDERS, "3", "no", "PT1M"), overdue::get);
        overdue.set(true);
        events.held(ORDERS, OutboxCode.DESTINATION_FAILING.finding(ORDERS, "4", "no", "PT1M"), overdue::get);
        runStarted();

        seen.removeIf(MessagePublished.class::isInstance);
        assertThat(seen)
                .satisfiesExactly(
                        failing -> assertThat(((DestinationFailing) failing).reason())
                                .startsWith("OBX-0450")
                                .contains("message 1"),
                        recovered -> assertThat(((DestinationRecovered) recovered).failures())
                                .isEqualTo(2),
                        again -> assertThat(((DestinationFailing) again).reason())
                                .contains("message 3"),
                        afterwards -> assertThat(((DestinationFailing) afterwards).reason())
                                .contains("message 4"));
    }

    @Test
    void eventWithoutAnObserverIsNotQueued() {
        ApplicationNotifier events = events(MessageAbandoned.class::isInstance);

        events.published(ORDERS, List.of(message(1)), Instant.EPOCH, Duration.ZERO);
        events.runFailed(ORDERS, 1, new IllegalStateException("broker away"));
        events.recovered(ORDERS, 1);

        assertThat(started).isEmpty();
    }

    @Test
    void failingObserverIsLoggedOnceAMinuteAndKeepsNoEventFromTheNext() {
        List<Object> tried = new ArrayList<>();
        ApplicationNotifier events = events(
                ALL,
                event -> {
                    tried.add(event);
                    throw new IllegalStateException("a bug in an observer");
                },
                started::add);

        events.published(ORDERS, List.of(message(1), message(2)), Instant.EPOCH, Duration.ZERO);
        assertThatCode(this::runStarted).doesNotThrowAnyException();

        assertThat(tried).hasSize(2);
        assertThat(logged.all())
                .singleElement()
                .asString()
                .startsWith("OBX-0427")
                .contains("MessagePublished", "a bug in an observer");
    }

    /** While an observer does not return, events wait up to a limit and then get lost, and dispatch continues. */
    @Test
    void eventsThatNoThreadTakesAreBounded() {
        ApplicationNotifier events = events(ALL);
        List<OutboxMessage> many = IntStream.rangeClosed(1, ObserverQueue.CAPACITY + 1)
                .mapToObj(ApplicationNotifierTest::message)
                .collect(Collectors.toList());

        events.published(ORDERS, many, Instant.EPOCH, Duration.ZERO);

        assertThat(logged.all()).singleElement().asString().startsWith("OBX-0428: 1 event(s)");
        runStarted();
        assertThat(seen).hasSize(ObserverQueue.CAPACITY);
    }

    @Test
    void refusedThreadIsAskedForAgainByTheNextEvent() {
        AtomicBoolean refused = new AtomicBoolean();
        ApplicationNotifier events = events(ALL, seen::add, work -> {
            if (refused.compareAndSet(false, true)) {
                throw new IllegalStateException("no thread");
            }
            work.run();
        });

        events.unreadable(ORDERS, 1, "broken");
        assertThat(seen).isEmpty();
        events.unreadable(ORDERS, 2, "broken");

        assertThat(seen).hasSize(2);
    }

    /** Otherwise no observer would be called any more until a restart. The first thread comes after all, late. */
    @Test
    void threadThatNeverComesIsReplacedAndEachEventIsFiredOnceAndInOrder() {
        ApplicationNotifier events = events(ALL);
        events.unreadable(ORDERS, 1, "broken");
        nanos.addAndGet(ObserverQueue.LOST_AFTER.toNanos() - 1);
        events.unreadable(ORDERS, 2, "broken");
        events.ticked();
        assertThat(started).as("it may be late").hasSize(1);

        nanos.addAndGet(1);
        events.ticked();
        events.ticked();
        events.unreadable(ORDERS, 3, "broken");
        assertThat(started).as("one in its place").hasSize(2);

        Collections.reverse(started);
        runStarted();
        assertThat(seen)
                .extracting(event -> ((MessageAbandoned) event).sequence())
                .containsExactly(1L, 2L, 3L);
    }

    /** Both of them come while an observer runs. */
    @Test
    void onlyOneThreadCallsObservers() {
        ApplicationNotifier events = events(
                ALL,
                event -> {
                    int before = seen.size();
                    started.get(1).run();
                    assertThat(seen).hasSize(before);
                    seen.add(event);
                },
                started::add);
        events.unreadable(ORDERS, 1, "broken");
        nanos.addAndGet(ObserverQueue.LOST_AFTER.toNanos());
        events.unreadable(ORDERS, 2, "broken");

        started.get(0).run();

        assertThat(seen)
                .extracting(event -> ((MessageAbandoned) event).sequence())
                .containsExactly(1L, 2L);
    }

    @Test
    void refusedThreadIsAskedForAgainByTheNextTick() {
        List<Runnable> threads = new ArrayList<>();
        ApplicationNotifier events = events(ALL, seen::add, work -> {
            threads.add(work);
            if (threads.size() == 1) {
                throw new IllegalStateException("no thread");
            }
            work.run();
        });
        events.unreadable(ORDERS, 1, "broken");

        events.ticked();
        events.ticked();

        assertThat(seen).hasSize(1);
        assertThat(threads).hasSize(2);
    }

    private ApplicationNotifier events(Predicate<Object> observed) {
        return events(observed, seen::add, started::add);
    }

    private ApplicationNotifier events(Predicate<Object> observed, Consumer<Object> observers, Executor threads) {
        return new ApplicationNotifier(new ObserverQueue(observed, observers, threads, nanos::get));
    }

    private void runStarted() {
        started.forEach(Runnable::run);
    }

    private static Retry retry(OutboxStatus status) {
        return new Retry(4, status, 10, Duration.ZERO, "refused", true);
    }

    private static OutboxMessage message(long sequence) {
        return new StoredMessage(
                sequence,
                new UUID(0, sequence),
                new StoredMessage.Event("OrderPlaced", 1, "Order", "o-" + sequence),
                new StoredMessage.Body("text/plain", OutboxPayload.text("text")),
                StoredMessage.Context.NONE,
                StoredMessage.Terms.NONE,
                new StoredMessage.Delivery(ORDERS.name(), OutboxStatus.PENDING, 0, null, null, null, null, null),
                Instant.EPOCH,
                Instant.EPOCH);
    }
}
