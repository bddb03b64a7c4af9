package dev.cdioutbox.jms.internal.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.cdioutbox.DestinationFailing;
import dev.cdioutbox.DestinationRecovered;
import dev.cdioutbox.MessageAbandoned;
import dev.cdioutbox.MessagePublished;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.Retry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The application's observers see the outbox's events in order, and a failing or hanging observer does not stop
 * dispatch.
 */
class ApplicationNotifierTest {
    private static final String ORDERS = "orders";
    private static final Predicate<Object> ALL = event -> true;

    private final List<Object> seen = new ArrayList<>();
    private final List<Runnable> started = new ArrayList<>();
    private final List<String> logged = new ArrayList<>();
    private final Logger logger = Logger.getLogger(ApplicationNotifier.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            logged.add(line.getMessage());
        }

        @Override
        public void flush() {
            // Nothing is buffered.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void leave() {
        logger.removeHandler(handler);
    }

    @Test
    void observersAreCalledOnAnotherThreadInTheOrderOfTheEvents() {
        ApplicationNotifier events = events(ALL);

        events.published(ORDERS, List.of(message(1), message(2)), Instant.EPOCH, Duration.ZERO);
        events.charged(ORDERS, message(3), retry(OutboxStatus.FAILED), Instant.EPOCH);
        events.charged(ORDERS, message(4), retry(OutboxStatus.ABANDONED), Instant.EPOCH);
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
                                .isEqualTo(new MessageAbandoned(null, 5, ORDERS, null, null, 0, "no headers")));
    }

    @Test
    void outageIsOneEventAndItsEndAnother() {
        ApplicationNotifier events = events(ALL);

        for (int failures = 1; failures <= 3; failures++) {
            events.runFailed(ORDERS, new IllegalStateException("broker away " + failures));
            events.ended(ORDERS, failures);
        }
        events.ended("other", 0);
        events.ended(ORDERS, 0);
        events.ended(ORDERS, 0);
        runStarted();

        assertThat(seen)
                .satisfiesExactly(
                        failing -> assertThat(((DestinationFailing) failing).reason())
                                .contains("broker away 1"),
                        recovered -> assertThat(recovered).isEqualTo(new DestinationRecovered(ORDERS, 3)));
    }

    @Test
    void eventWithoutAnObserverIsNotQueued() {
        ApplicationNotifier events = events(MessageAbandoned.class::isInstance);

        events.published(ORDERS, List.of(message(1)), Instant.EPOCH, Duration.ZERO);
        events.runFailed(ORDERS, new IllegalStateException("broker away"));
        events.ended(ORDERS, 1);
        events.ended(ORDERS, 0);

        assertThat(started).isEmpty();
    }

    @Test
    void failingObserverIsLoggedOnceAMinuteAndKeepsNoEventFromTheNext() {
        List<Object> tried = new ArrayList<>();
        ApplicationNotifier events = new ObservedEvents(ALL, thread()) {
            @Override
            void callObservers(Object event) {
                tried.add(event);
                throw new IllegalStateException("a bug in an observer");
            }
        };

        events.published(ORDERS, List.of(message(1), message(2)), Instant.EPOCH, Duration.ZERO);
        assertThatCode(this::runStarted).doesNotThrowAnyException();

        assertThat(tried).hasSize(2);
        assertThat(logged).singleElement().asString().startsWith("OBX-0427").contains("a bug in an observer");
    }

    /** While an observer does not return, events wait up to a limit and then get lost, and dispatch continues. */
    @Test
    void eventsThatNoThreadTakesAreBounded() {
        ApplicationNotifier events = events(ALL);
        List<OutboxMessage> many = IntStream.rangeClosed(1, ApplicationNotifier.CAPACITY + 1)
                .mapToObj(ApplicationNotifierTest::message)
                .collect(Collectors.toList());

        events.published(ORDERS, many, Instant.EPOCH, Duration.ZERO);

        assertThat(logged).singleElement().asString().startsWith("OBX-0428: 1 event(s)");
        runStarted();
        assertThat(seen).hasSize(ApplicationNotifier.CAPACITY);
    }

    @Test
    void refusedThreadIsAskedForAgainByTheNextEvent() {
        ApplicationNotifier events = new ObservedEvents(ALL, new NotifierThread() {
            private boolean refused;

            @Override
            public void run(Runnable work) {
                if (!refused) {
                    refused = true;
                    throw new IllegalStateException("no thread");
                }
                work.run();
            }
        });

        events.unreadable(ORDERS, 1, "broken");
        assertThat(seen).isEmpty();
        events.unreadable(ORDERS, 2, "broken");

        assertThat(seen).hasSize(2);
    }

    private ApplicationNotifier events(Predicate<Object> observed) {
        return new ObservedEvents(observed, thread());
    }

    private NotifierThread thread() {
        return new NotifierThread() {
            @Override
            public void run(Runnable work) {
                started.add(work);
            }
        };
    }

    private void runStarted() {
        started.forEach(Runnable::run);
    }

    private static Retry retry(OutboxStatus status) {
        return new Retry(4, status, 10, Duration.ZERO, "refused", true);
    }

    private static OutboxMessage message(long sequence) {
        return new OutboxMessage(
                sequence,
                new UUID(0, sequence),
                new OutboxMessage.Event("OrderPlaced", 1, "Order", "o-" + sequence),
                new OutboxMessage.Body("text/plain", "text", 4),
                OutboxMessage.Context.NONE,
                OutboxMessage.Terms.NONE,
                new OutboxMessage.Delivery(ORDERS, OutboxStatus.PENDING, 0, null, null, null, null, null),
                Instant.EPOCH,
                Instant.EPOCH);
    }

    /** Observers that record each event. */
    private class ObservedEvents extends ApplicationNotifier {
        private final Predicate<Object> observed;

        ObservedEvents(Predicate<Object> observed, NotifierThread thread) {
            this.observed = observed;
            this.thread = thread;
        }

        @Override
        boolean hasObserver(Object event) {
            return observed.test(event);
        }

        @Override
        void callObservers(Object event) {
            seen.add(event);
        }
    }
}
