package dev.cdioutbox.internal.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import jakarta.enterprise.event.Event;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.persistence.OutboxEventSource;
import org.junit.jupiter.api.Test;

/** Guards that the events of a persistent aggregate are fired before the commit, or that the transaction rolls back. */
public class AggregateEventsTest {
    private final FakeRegistry registry = new FakeRegistry();
    private final List<Object> fired = new ArrayList<>();
    private final AggregateEvents sources = new AggregateEvents();
    private Consumer<Object> observer = event -> {};

    AggregateEventsTest() {
        sources.registry = registry;
        sources.events = events();
    }

    /** All aggregates are equal, as entities without an id are. */
    private static final class Aggregate implements OutboxEventSource {
        private List<Object> events = new ArrayList<>();

        Aggregate(Object... events) {
            this.events.addAll(List.of(events));
        }

        @Override
        public List<Object> takeEvents() {
            List<Object> taken = events;
            events = new ArrayList<>();
            return taken;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Aggregate;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @Test
    void eventsAreFiredInTheirOrderWhenTheAggregateIsWritten() {
        Aggregate aggregate = new Aggregate("first", "second");
        sources.managed(aggregate);
        sources.written(aggregate);

        assertThat(fired).containsExactly("first", "second");
        assertThat(registry.commit()).isNull();
        assertThat(fired).as("once").hasSize(2);
    }

    @Test
    void observerMayLetTheAggregateCollectMore() {
        List<Object> live = new ArrayList<>(List.of("first"));
        observer = event -> live.add("more");

        sources.written(() -> live);

        assertThat(fired).containsExactly("first");
    }

    @Test
    void transactionThatLeavesAnAggregateWithEventsIsRolledBack() {
        sources.managed(new Aggregate("forgotten"));

        assertThat(registry.commit())
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith(
                        "OBX-0117: " + Aggregate.class.getName() + " collected event(s) ([java.lang.String])")
                .hasMessageContaining("Change a persistent attribute");
        assertThat(fired).isEmpty();
    }

    @Test
    void transactionIsMarkedWhateverTheServerMakesOfTheException() {
        sources.managed(new Aggregate("forgotten"));
        registry.beforeCompletionOfNext();
        try {
            registry.beforeCompletionOfNext();
        } catch (OutboxException swallowed) {
            assertThat(registry.getRollbackOnly()).isTrue();
            return;
        }
        throw new AssertionError("nothing was thrown");
    }

    @Test
    void flushThatComesLateStillWritesInTime() {
        Aggregate aggregate = new Aggregate("event");
        sources.managed(aggregate);
        registry.registerInterposedSynchronization(flush(() -> sources.written(aggregate)));

        assertThat(registry.commit()).isNull();
        assertThat(fired).containsExactly("event");
    }

    @Test
    void equalAggregatesAreTwo() {
        Aggregate written = new Aggregate("event");
        sources.managed(written);
        sources.managed(new Aggregate("forgotten"));
        sources.written(written);

        assertThat(registry.commit()).hasMessageStartingWith("OBX-0117");
    }

    @Test
    void aggregateIsWatchedInItsOwnTransactionOnly() {
        Aggregate loaded = new Aggregate();
        sources.managed(loaded);
        assertThat(registry.commit()).isNull();

        loaded.events.add("collected when nobody could store it");
        registry.begin();
        assertThat(registry.commit()).isNull();
        registry.begin();
        sources.managed(loaded);
        assertThat(registry.commit()).hasMessageStartingWith("OBX-0117");
    }

    @Test
    void aggregateOutsideOfATransactionIsLeftAlone() {
        registry.status = Status.STATUS_NO_TRANSACTION;

        sources.managed(new Aggregate("event"));

        assertThat(registry.interposed).isEmpty();
    }

    private static Synchronization flush(Runnable work) {
        return new Synchronization() {
            @Override
            public void beforeCompletion() {
                work.run();
            }

            @Override
            public void afterCompletion(int status) {}
        };
    }

    @SuppressWarnings("unchecked")
    private Event<Object> events() {
        return (Event<Object>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Event.class}, (proxy, fire, arguments) -> {
                    fired.add(arguments[0]);
                    observer.accept(arguments[0]);
                    return null;
                });
    }
}
