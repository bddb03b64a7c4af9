package dev.cdioutbox.internal.capture.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import jakarta.enterprise.event.Event;
import jakarta.interceptor.InvocationContext;
import jakarta.persistence.Id;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.capture.FakeRegistry;
import dev.cdioutbox.persistence.OutboxAggregate;
import org.junit.jupiter.api.Test;

/** Guards that the events of a persistent aggregate are fired before the commit, or that the transaction rolls back. */
public class AggregateEventsTest {
    private final FakeRegistry registry = new FakeRegistry();
    private final List<Object> fired = new ArrayList<>();
    private final AggregateEvents aggregates = new AggregateEvents();
    private Consumer<Object> observer = event -> {};

    AggregateEventsTest() {
        aggregates.registry = registry;
        aggregates.events = events();
    }

    /** All aggregates are equal, as entities without an id are. */
    private static class Aggregate extends OutboxAggregate {
        Aggregate(Object... events) {
            List.of(events).forEach(this::collect);
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

    private static final class Row extends Aggregate {
        @Id
        private final String id;

        Row(String id, Object... events) {
            super(events);
            this.id = id;
        }
    }

    @Test
    void eventsAreFiredInTheirOrderWhenTheAggregateIsWritten() {
        Aggregate aggregate = new Aggregate("first", "second");
        aggregates.collected(aggregate);
        aggregates.written(aggregate);

        assertThat(fired).containsExactly("first", "second");
        assertThat(registry.commit()).isNull();
        assertThat(fired).as("once").hasSize(2);
    }

    @Test
    void eventsOfCopiesOfARowAreFiredInTheirOrderWhenOneIsWritten() {
        Row merged = new Row("1");
        Row other = new Row("2", "of another row");
        for (Row copy : List.of(new Row("1", "first"), other, new Row("1", "second"))) {
            aggregates.collected(copy);
        }
        aggregates.written(merged);

        assertThat(fired).containsExactly("first", "second");
        assertThat(registry.commit()).hasMessageStartingWith("OBX-0117: " + Row.class.getName());
    }

    @Test
    void entitiesWithoutAnIdAreNoCopies() {
        aggregates.collected(new Row(null, "event"));
        aggregates.written(new Row(null));

        assertThat(fired).isEmpty();
        assertThat(registry.commit()).hasMessageStartingWith("OBX-0117");
    }

    private static final class Numbered extends Aggregate {
        @Id
        private long id;

        Numbered(Object... events) {
            super(events);
        }
    }

    @Test
    void entitiesWhoseNumberTheDatabaseHasYetToGenerateAreNoCopies() {
        Numbered written = new Numbered("of the written one");
        Numbered other = new Numbered("of the other one");
        aggregates.collected(written);
        aggregates.collected(other);
        aggregates.written(written);

        assertThat(fired).containsExactly("of the written one");
        assertThat(registry.commit()).hasMessageStartingWith("OBX-0117: " + Numbered.class.getName());
    }

    /** A path is an Iterable of itself, and a variable argument may be null. */
    @Test
    void methodThatWritesAggregatesMayHaveOtherArguments() throws Exception {
        Aggregate aggregate = new Aggregate("first");
        aggregates.collected(aggregate);
        WritesAggregatesInterceptor interceptor = new WritesAggregatesInterceptor();
        interceptor.aggregates = aggregates;
        Object[] arguments = {Path.of("file"), new Object[] {null, aggregate}};

        interceptor.write((InvocationContext) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {InvocationContext.class},
                (proxy, method, none) -> method.getName().equals("getParameters") ? arguments : null));

        assertThat(fired).containsExactly("first");
    }

    @Test
    void eventOutsideOfATransactionIsRefused() {
        registry.status = Status.STATUS_NO_TRANSACTION;

        assertThatThrownBy(() -> aggregates.collected(new Aggregate()))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0124: " + Aggregate.class.getName());
    }

    @Test
    void eventInATransactionThatWillRollBackIsIgnored() {
        registry.setRollbackOnly();
        aggregates.collected(new Aggregate("event"));

        assertThat(registry.interposed).isEmpty();
    }

    @Test
    void containerWithoutTransactionsOnlyFires() {
        aggregates.registry = null;
        Aggregate aggregate = new Aggregate("event");
        aggregates.collected(aggregate);
        aggregates.written(aggregate);

        assertThat(fired).containsExactly("event");
    }

    @Test
    void transactionThatLeavesAnAggregateWithEventsIsRolledBack() {
        aggregates.collected(new Aggregate("forgotten"));

        assertThat(registry.commit())
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith(
                        "OBX-0117: " + Aggregate.class.getName() + " collected event(s) ([java.lang.String])")
                .hasMessageContaining("Change a persistent attribute");
        assertThat(fired).isEmpty();
    }

    @Test
    void transactionIsMarkedWhateverTheServerMakesOfTheException() {
        aggregates.collected(new Aggregate("forgotten"));
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
        aggregates.collected(aggregate);
        registry.registerInterposedSynchronization(flush(() -> aggregates.written(aggregate)));

        assertThat(registry.commit()).isNull();
        assertThat(fired).containsExactly("event");
    }

    @Test
    void eventThatIsCollectedAfterTheCheckIsCheckedToo() {
        aggregates.collected(new Aggregate());
        registry.beforeCompletionOfNext();
        registry.beforeCompletionOfNext();
        aggregates.collected(new Aggregate("late"));

        assertThat(registry.commit()).hasMessageStartingWith("OBX-0117");
    }

    @Test
    void equalAggregatesAreTwo() {
        Aggregate written = new Aggregate("event");
        aggregates.collected(written);
        aggregates.collected(new Aggregate("forgotten"));
        aggregates.written(written);

        assertThat(registry.commit()).hasMessageStartingWith("OBX-0117");
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
